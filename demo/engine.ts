import { mkdir } from 'node:fs/promises';

import { stringify } from 'flatted';
import getPort from 'get-port';
import { type IConnections, type INode } from 'n8n-workflow';

import { startSandbox } from '../sandbox/server';
import { type Session, untilStopped } from '../tools/cli/session';
import { N8N_HOME, runStoredWorkflow } from '../tools/engine/storedWorkflow';
import { provideContacts } from '../tools/n8n/examples/contacts';
import { CONTACTS_EXAMPLE, contactsExampleNodes } from '../tools/n8n/examples/contactsExample';
import { readExample } from '../tools/n8n/examples/files';
import { readExecution } from '../tools/n8n/execution';
import { API_KEY } from '../tools/n8n/instance';
import { filesFolderOf } from '../tools/n8n/settings';
import { type Demo } from './run';

/** Starts the sandbox, and makes the contacts example ready for n8n's engine in this process: it sends nobody twice. */
export async function start({ cleanup, signal }: Session): Promise<Demo> {
  const sandbox = await startSandbox({ keys: [API_KEY], port: await getPort({ port: 4010 }) });
  cleanup.add(() => sandbox.close());
  await mkdir(filesFolderOf(N8N_HOME));
  await provideContacts(N8N_HOME);
  // Relative paths in the workflow start here, as they do in n8n's own container image.
  process.chdir(N8N_HOME);

  const file = await readExample(CONTACTS_EXAMPLE);
  const example = contactsExampleNodes(file);
  const workflow = { id: 'demo', nodes: file.nodes as INode[], connections: file.connections as IConnections };
  for (const { name, parameters } of workflow.nodes)
    if (name === example.sender) parameters.options = { duplicateMessages: 'sendOnceEver' };
  return {
    sandbox,
    example,
    run: async () => {
      const account = { baseUrl: `${sandbox.url}/v1`, apiKey: API_KEY };
      const { data, ...run } = await runStoredWorkflow(workflow, example.trigger, account);
      return readExecution({ ...run, data: stringify(data), customData: {} });
    },
    runs: [
      `Running "${String(file.name)}" in n8n's engine`,
      "Running it again: 'Duplicate Messages' is 'Send Once, Also in Later Runs'",
    ],
    addresses: `  inbox     ${sandbox.url}/`,
    stayUp: () => untilStopped(signal),
  };
}
