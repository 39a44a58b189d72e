/** The example "Nine o'clock everywhere" for a whole day: here n8n's clock can be moved, in real n8n it can't. */
import type { INodeParameters, IRun, IRunExecutionData } from 'n8n-workflow';

import { continueStoredWorkflow, runStoredWorkflow, type StoredWorkflow } from '../../tools/engine/storedWorkflow';
import { readExample } from '../../tools/n8n/examples/files';
import { nodeForTests } from '../support/engine/nodeForTests';
import { stored } from '../support/engine/workflow';
import { withOptions } from '../support/parameters';
import { accountOf } from '../support/sandbox';

// Jest can't read it, and the Wait node needs it only for forms.
jest.mock('sanitize-html', () => ({}));

const { sandbox, received, requests } = nodeForTests();
const [LONDON, PARIS, NEW_YORK, SYDNEY] = [
  ['447700900701', '447700900702'],
  ['33639981201'],
  ['12125550142', '12125550143'],
  ['61491570156', '61491570157'],
] as const;

beforeEach(() => {
  const keep = ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const;
  const timers = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const;
  jest.useFakeTimers({ doNotFake: [...keep, ...timers], now: Date.UTC(2026, 5, 15, 6) });
});
afterEach(() => jest.useRealTimers());

test('Each country gets the message at nine, and the workflow ends when nobody is left', async () => {
  const workflow = await sending();
  const sentAt: Array<[time: string, phones: string[]]> = [];
  await toItsEnd(workflow, await run(workflow), () => {
    sentAt.push([new Date().toISOString().slice(0, 16), received().sort()]);
    sandbox().reset();
  });
  expect(sentAt).toEqual([
    // 16:00 in Sydney, and 12:30 where Australia's clocks are the last.
    ['2026-06-15T06:00', SYDNEY],
    ['2026-06-15T07:00', PARIS],
    ['2026-06-15T08:00', LONDON],
    // 15:00 in New York, 09:00 in Hawaii.
    ['2026-06-15T19:00', NEW_YORK],
  ]);
});

test('Started again, during a wait or after the end, also with numbers in another spelling, it sends nothing twice', async () => {
  const workflow = await sending();
  const respelled = await sending((text) => text.replaceAll('"+', '"00').replaceAll(/(?<=\d) (?=\d)/g, '-'));
  const first = await run(workflow);
  const second = await run(respelled);
  await toItsEnd(workflow, first);
  await toItsEnd(respelled, second);
  await toItsEnd(workflow, await run(workflow));
  expect(received().sort()).toEqual([...NEW_YORK, ...PARIS, ...LONDON, ...SYDNEY].sort());
});

test('As it is imported it sends nothing, says when each contact can get it, and does not wait', async () => {
  const { waitTill, data } = await run(await example());
  const items = data.resultData.runData['Send Messages']?.[0]?.data?.main?.[0] ?? [];
  expect(waitTill).toBeUndefined();
  expect(items.map(({ json }) => [json.status, json.send_at])).toEqual([
    ...LONDON.map(() => ['skipped', '2026-06-15T08:00:00.000Z']),
    ...PARIS.map(() => ['skipped', '2026-06-15T07:00:00.000Z']),
    ...NEW_YORK.map(() => ['skipped', '2026-06-15T19:00:00.000Z']),
    ...SYDNEY.map(() => ['dry_run', undefined]),
  ]);
  expect(requests()).toEqual([]);
});

test('When the account refuses those who are left, they are listed and it ends', async () => {
  sandbox().setFaults([{ kind: 'status', status: 401, on: 'bulk', after: 1, times: 99 }]);
  const workflow = await sending();
  const { resultData } = await toItsEnd(workflow, await run(workflow));
  expect(received().sort()).toEqual(SYDNEY);
  const listed = (resultData.runData['Not Sent'] ?? []).flatMap(({ data }) => data?.main?.[0] ?? []);
  expect(listed.map(({ json }) => json.phone).sort()).toEqual([...NEW_YORK, ...PARIS, ...LONDON].sort());
});

async function run(workflow: StoredWorkflow): Promise<IRun> {
  return await runStoredWorkflow(workflow, 'Start', accountOf(sandbox()));
}

/** Moves the clock to the end of each wait. @returns the execution as it ended */
async function toItsEnd(
  workflow: StoredWorkflow,
  begun: IRun,
  afterEach: () => void = () => undefined,
): Promise<IRunExecutionData> {
  let { data, waitTill } = begun;
  for (;;) {
    expect(data.resultData.error).toBeUndefined();
    afterEach();
    if (!(waitTill instanceof Date)) return data;
    jest.setSystemTime(Math.max(Date.now(), waitTill.getTime()));
    ({ data, waitTill } = await continueStoredWorkflow(workflow, stored(data), accountOf(sandbox())));
  }
}

/** The example once 'Dry Run' is off. */
async function sending(respell: (contacts: string) => string = (contacts) => contacts): Promise<StoredWorkflow> {
  return await example((name, parameters) => {
    if (name === 'Contacts') return { ...parameters, jsonOutput: respell(parameters.jsonOutput as string) };
    if (name !== 'Send Messages') return parameters;
    return withOptions(parameters, { ...(parameters.options as INodeParameters), dryRun: false });
  });
}

async function example(
  change: (node: string, parameters: INodeParameters) => INodeParameters = (_node, parameters) => parameters,
): Promise<StoredWorkflow> {
  const { nodes, connections } = (await readExample('nine-oclock-everywhere')) as unknown as StoredWorkflow;
  const changed = nodes
    .filter(({ type }) => type !== 'n8n-nodes-base.stickyNote')
    .map((node) => ({
      ...node,
      parameters: change(node.name, node.parameters),
      ...(node.credentials && { credentials: { messagingSendApi: { id: '1', name: 'Sandbox' } } }),
    }));
  return { id: 'nine', nodes: changed, connections };
}
