import { type Sandbox } from '../sandbox/server';
import { isObject } from '../tools/json';
import { type ContactsExampleNodes } from '../tools/n8n/examples/contactsExample';
import { type Execution } from '../tools/n8n/execution';

const SHOWN = 10;

/** The sandbox, and the contacts example ready to run. */
export interface Demo {
  sandbox: Sandbox;
  example: ContactsExampleNodes;
  run: () => Promise<Execution>;
  runs: string[];
  addresses: string;
  stayUp: () => Promise<void>;
}

/** Runs the example once, and reports what came of it in n8n and in the sandbox. */
export async function runExample({ example, sandbox, run }: Demo): Promise<{ execution: Execution; report: string }> {
  const creditsBefore = sandbox.credits();
  const requestsBefore = sandbox.requests().length;
  const execution = await run();
  const reached = execution.outputOf(example.sender, 0);
  const before = reached.filter(({ json }) => json.status === 'skipped');
  const unsent = execution.outputOf(example.sender, 1).map(({ json, pairedItem }) => {
    const { code } = isObject(json.details) ? json.details : {};
    const contact = pairedItem === undefined ? 'unknown' : pairedItem + 1;
    return `    contact ${contact} ${JSON.stringify(json.phone)}: ${String(json.error)} (${String(code)})`;
  });
  const rows: Array<[name: string, value: string | number]> = [
    ['execution', `${execution.status} ${execution.error}`],
    ['contacts', execution.outputOf(example.contacts).length],
    // An item without a message id is one that n8n passed on when the node failed.
    ['sent', reached.filter(({ json }) => json.status !== 'skipped' && Number.isInteger(json.message_id)).length],
    ['sent before', before.length],
    ['not sent', [unsent.length, ...unsent.slice(0, SHOWN)].join('\n')],
    ['requests', sandbox.requests().length - requestsBefore],
    ['credits', `${creditsBefore} before, ${sandbox.credits()} after`],
    ['seconds', (execution.runsOf(example.sender)[0]?.seconds ?? 0).toFixed(1)],
  ];
  return { execution, report: rows.map(([name, value]) => `  ${name.padEnd(12)}${value}`).join('\n') };
}
