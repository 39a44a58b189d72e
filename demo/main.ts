/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** `npm run demo`: runs the contacts example against the sandbox, twice, in n8n's own engine. It sends nobody twice. */
import { mkdir } from 'node:fs/promises';

import { stringify } from 'flatted';
import getPort from 'get-port';
import type { IConnections, INode } from 'n8n-workflow';

import { startSandbox } from '../sandbox/server';
import { runSession, untilStopped } from '../tools/cli/session';
import { N8N_HOME, runStoredWorkflow } from '../tools/engine/steps';
import { CONTACTS_EXAMPLE, contactsExampleNodes, provideContacts, readExample } from '../tools/n8n/examples';
import { readExecution } from '../tools/n8n/execution';
import { API_KEY } from '../tools/n8n/instance';
import { filesFolderOf } from '../tools/n8n/settings';

/** How many contacts that got no message are named. */
const SHOWN = 10;

void runSession(async ({ cleanup, say, signal }) => {
  const sandbox = await startSandbox({ keys: [API_KEY], port: await getPort({ port: 4010 }) });
  cleanup.add(() => sandbox.close());
  await mkdir(filesFolderOf(N8N_HOME));
  await provideContacts(N8N_HOME);
  // Relative paths in the workflow start here, as they do in n8n's own container image.
  process.chdir(N8N_HOME);

  const file = await readExample(CONTACTS_EXAMPLE);
  const { trigger, contacts, sender } = contactsExampleNodes(file);
  const workflow = {
    id: 'demo',
    nodes: file.nodes as unknown as INode[],
    connections: file.connections as IConnections,
  };
  for (const { name, parameters } of workflow.nodes)
    if (name === sender) parameters.options = { duplicateMessages: 'sendOnceEver' };
  const account = { baseUrl: `${sandbox.url}/v1`, apiKey: API_KEY };

  /** Runs the example once, and says what came of it in n8n and in the sandbox. @returns whether it succeeded */
  const run = async () => {
    const creditsBefore = sandbox.credits();
    const requestsBefore = sandbox.requests().length;
    const { data, ...ended } = await runStoredWorkflow(workflow, trigger, account);
    const execution = readExecution({ ...ended, id: workflow.id, data: stringify(data) });
    const reached = execution.outputOf(sender, 0);
    const unsent = execution.outputOf(sender, 1).map(({ json, pairedItem }) => {
      const { code } = json.details as { code: string };
      const contact = pairedItem === undefined ? 'unknown' : pairedItem + 1;
      return `    contact ${contact} ${JSON.stringify(json.phone)}: ${String(json.error)} (${code})`;
    });
    const rows = {
      execution: `${execution.status} ${execution.error}`,
      contacts: execution.outputOf(contacts).length,
      // An item without a message id is one that n8n passed on when the node failed.
      sent: reached.filter(({ json }) => json.status !== 'skipped' && Number.isInteger(json.message_id)).length,
      'sent before': reached.filter(({ json }) => json.status === 'skipped').length,
      'not sent': [unsent.length, ...unsent.slice(0, SHOWN)].join('\n'),
      requests: sandbox.requests().length - requestsBefore,
      credits: `${creditsBefore} before, ${sandbox.credits()} after`,
      seconds: (execution.runsOf(sender)[0]?.seconds ?? 0).toFixed(1),
    };
    const report = Object.entries(rows).map(([name, value]) => `  ${name.padEnd(12)}${value}`);
    say(`\n${report.join('\n')}\n`);
    signal.throwIfAborted();
    return execution.status === 'success';
  };

  say(`Running "${String(file.name)}" in n8n's engine`);
  const isFirstFine = await run();
  say("Running it again: 'Duplicate Messages' is 'Send Once, Also in Later Runs'");
  const isSecondFine = await run();
  say("To see it in n8n's editor: npm run dev");
  if (process.stdout.isTTY) {
    say(`  inbox     ${sandbox.url}/\n\nPress Ctrl-C to stop.`);
    await untilStopped(signal);
  }
  return isFirstFine && isSecondFine ? 0 : 1;
});
