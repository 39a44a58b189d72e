/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/**
 * `npm run count`: counts the functions of the package that run, and their files, when Send Bulk sends three messages.
 * It counts functions with a name that V8 sees called; callbacks without one belong to the function around them. A
 * first run, which is not counted, loads and prepares what later runs use.
 */
import { Session } from 'node:inspector/promises';
import { setFlagsFromString } from 'node:v8';

import { Command } from 'commander';

import { startSandbox } from '../sandbox/server';
import { runStep } from '../tools/engine/steps';
import { API_KEY } from '../tools/n8n/instance';
import { contacts, sendingNode } from './measurements';

const FOLDER = '/dist/nodes/MessagingSend/';

const { list } = new Command('npm run count --')
  .description('Counts the functions that run when Send Bulk sends three messages.')
  .option('--list', 'names them')
  .parse()
  .opts<{ list?: boolean }>();

// Otherwise V8 misses some functions that are called once.
setFlagsFromString('--no-lazy-feedback-allocation');
const sandbox = await startSandbox({ keys: [API_KEY] });
const send = async () => {
  const step = await sendingNode('sendBulk', { options: {} });
  const sent = await runStep(contacts(3), step, { baseUrl: `${sandbox.url}/v1`, apiKey: API_KEY });
  if (sent.some(({ json }) => json.status !== 'sent')) throw new Error('not all messages were sent');
};
await send();
const inspector = new Session();
inspector.connect();
await inspector.post('Profiler.enable');
await inspector.post('Profiler.startPreciseCoverage', { callCount: true });
await send();
const { result } = await inspector.post('Profiler.takePreciseCoverage');

const files = result
  .filter(({ url }) => url.includes(FOLDER))
  .map(({ url, functions }) => ({
    file: url.slice(url.indexOf(FOLDER) + FOLDER.length),
    names: functions
      .filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)
      .map(({ functionName }) => functionName),
  }))
  .filter(({ names }) => names.length > 0);
if (list === true) for (const { file, names } of files) console.log(`${file}: ${names.join(', ')}`);
console.log(`${files.reduce((sum, { names }) => sum + names.length, 0)} functions in ${files.length} files`);
// n8n's engine leaves timers running.
process.exit();
