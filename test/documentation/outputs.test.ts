import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { nodeForTests } from '../support/engine/nodeForTests';
import { activate } from '../support/engine/polling';
import type { Setup } from '../support/engine/workflow';
import { textOf } from '../support/outputs';
import { GET_BALANCE, SEND, SEND_AND_WAIT, SEND_BULK, withOptions } from '../support/parameters';
import { accountOf } from '../support/sandbox';
import { PAGES } from './pages';

const TIME = '2026-01-31T09:30:00.000Z';
const { sandbox, setupOf, run, ask } = nodeForTests({}, { credits: 1000, now: () => Date.parse(TIME) });

const ONE = [{ phone: '447700900123', text: 'Hello from n8n' }];

const outputOf = async (parameters: INodeParameters, items: IDataObject[], rest: Partial<Setup> = {}) =>
  (await run({ parameters, items, ...rest })).outputs.map((output) => output.map(({ json }) => json));

/** What the node returns for each block of JSON, by its page, its heading and its place under that. */
const EXAMPLES: Record<string, () => Promise<unknown>> = {
  'docs/reference.md send 1': async () => (await outputOf(SEND, ONE))[0]?.[0],
  'docs/reference.md send-bulk 1': async () => (await outputOf(SEND_BULK, ONE))[0]?.[0],
  'docs/reference.md get-balance 1': async () => (await outputOf(GET_BALANCE, [{}]))[0]?.[0],
  'docs/reference.md options 1': async () => {
    const items = [{ phone: '+44 7700 900123', text: 'Hello Ada' }];
    return (await outputOf(withOptions(SEND_BULK, { dryRun: true }), items))[0]?.[0];
  },
  'docs/reference.md items-that-were-skipped 1': async () =>
    (await outputOf(withOptions(SEND_BULK, { duplicateMessages: 'sendOnce' }), [...ONE, ...ONE]))[0]?.[1],
  'docs/reference.md send-and-wait-for-response 1': async () =>
    await answered(
      { approvalOptions: { values: { commentLabel: 'Comment' } } },
      { decision: 'decline', written: 'Too expensive' },
    ),
  'docs/reference.md the-trigger 1': lowBalance,
  'docs/reference.md items-that-were-not-sent 1': async () => {
    const items = [{ name: 'Made-up Person', phone: '07700 900124' }];
    return (await outputOf({ ...SEND_BULK, message: 'Hello' }, items, { onError: 'continueErrorOutput' }))[1]?.[0];
  },
  'docs/agents.md what-the-model-sees 1': async () => {
    // What an agent passes to its model; in n8n, it is under `error`.
    const { error } = await run({ parameters: SEND, items: [{ phone: '07700 900124', text: 'Hello' }], type: 'Tool' });
    return [{ error: error?.message }];
  },
};

/** The item from a form on the page behind the link. */
async function answered(parameters: INodeParameters, form: IDataObject): Promise<unknown> {
  const answer = await ask(setupOf({ mode: 'trigger', items: ONE, parameters: { ...SEND_AND_WAIT, ...parameters } }));
  const { item } = await answer(form);
  return { data: { ...(item?.data as IDataObject), respondedAt: TIME } };
}

async function lowBalance(): Promise<unknown> {
  sandbox().setCredits(150);
  const parameters = { event: 'lowBalance', threshold: 100, options: { requestsPerMinute: 1_000_000 } };
  const active = await activate({ account: accountOf(sandbox()), parameters });
  sandbox().setCredits(42);
  await active.poll();
  const [[item] = []] = active.started;
  expect(Date.parse(textOf(item?.json.checked_at))).toBeGreaterThan(Date.parse(TIME));
  return { ...item?.json, checked_at: TIME };
}

const blocks = [...PAGES].flatMap(([file, { blocks: all }]) => {
  const json = all.filter(({ language }) => language === 'json');
  return json.map((block, index) => {
    const place = json.slice(0, index + 1).filter(({ under }) => under === block.under).length;
    return { name: `${file} ${block.under} ${place}`, text: block.text };
  });
});

test.each(blocks)('The block of JSON "$name" is what the node returns', async ({ name, text }) => {
  expect(JSON.parse(text)).toEqual(await EXAMPLES[name]?.());
});

test('Every example of a block of JSON belongs to one', () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(blocks.map(({ name }) => name).sort());
});
