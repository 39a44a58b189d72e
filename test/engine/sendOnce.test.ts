/** 'Send Once, Across Executions': what other executions of the node have sent is not sent again. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, listOf, phoneAt } from '../support/contacts';
import { Campaign } from '../support/engine/campaign';
import { killedAtNth } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import { type Execution, retryExecution, runRouting, runWorkflow, type Setup } from '../support/engine/workflow';
import { detailsOf, hintsOf, outcomeOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, SEND_LIST, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, receivedTexts, requestSizes, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

const ONCE = { duplicateMessages: 'sendOnceEver' };
const once = (parameters: INodeParameters, options: INodeParameters = {}) =>
  withOptions(parameters, { ...ONCE, ...options });
const setupOf = (items: IDataObject[], parameters: INodeParameters, more: Partial<Setup> = {}): Setup => ({
  account: accountOf(sandbox()),
  mode: 'trigger',
  onError: 'continueRegularOutput',
  items,
  parameters,
  ...more,
});
const run = async (items: IDataObject[], parameters: INodeParameters, more?: Partial<Setup>) =>
  await runWorkflow(setupOf(items, parameters, more));
const outcomesOf = ({ outputs }: Execution) => outputs.flat().map(outcomeOf);
const received = () => receivedPhones(sandbox()).sort();
const phones = (...indexes: number[]) => indexes.map(phoneAt).sort();
const keyed = (phone: number, text: string, order: string) => ({ phone: phoneAt(phone), text, order });
const BY_ORDER = { messageKey: '={{ $json.order }}' };

describe.each(SENDING_OPERATIONS)('%s in a second execution', (_name, parameters) => {
  test('skips what the first one has sent, and the hint says how many', async () => {
    await run(contacts(3), once(parameters));
    const second = await run(contacts(5), once(parameters));
    expect(received()).toEqual(phones(0, 1, 2, 3, 4));
    expect(outcomesOf(second)).toEqual(['skipped', 'skipped', 'skipped', 'sent', 'sent']);
    const [first] = second.outputs[0] ?? [];
    expect(first?.json).toMatchObject({ message_id: null, status: 'skipped', phone: phoneAt(0), sent_before: true });
    expect(first?.pairedItem).toEqual({ item: 0 });
    expect(hintsOf(second)[0]?.message).toContain('2 sent, 3 skipped because they were sent before');
  });

  test('sends what the first one could not send, and not what may have been sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 403, phones: [phoneAt(1)] }]);
    await run(contacts(2), inBatchesOf(1, once(parameters)));
    sandbox().setFaults([{ kind: 'status', status: 503 }]);
    await run(contacts(3).slice(2), once(parameters));
    sandbox().setFaults([]);
    const second = await run(contacts(3), once(parameters));
    expect(outcomesOf(second)).toEqual(['skipped', 'sent', 'uncertain']);
    expect(detailsOf(second.outputs[0]?.[2]).code).toBe('RESERVED');
    expect(received()).toEqual(phones(0, 1));
  });

  test('at the same moment sends nothing that the first one sends', async () => {
    const both = await Promise.all([run(contacts(4), once(parameters)), run(contacts(4), once(parameters))]);
    expect(received()).toEqual(phones(0, 1, 2, 3));
    for (const index of [0, 1, 2, 3]) {
      const outcomes = both.map((execution) => outcomesOf(execution)[index]);
      expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(1);
    }
  });

  test('sends nothing of which nobody can tell whether it was sent', async () => {
    processedData.set({ refuses: () => true });
    const refused = await run(contacts(2), once(parameters));
    expect(outcomesOf(refused)).toEqual(['not_sent', 'not_sent']);
    expect(detailsOf(refused.outputs[0]?.[0]).code).toBe('NOT_RESERVED');
    expect(sandbox().requests()).toEqual([]);
  });

  test('in the editor is an execution like any other', async () => {
    await run(contacts(2), once(parameters), { mode: 'manual' });
    expect(outcomesOf(await run(contacts(2), once(parameters), { mode: 'manual' }))).toEqual(['skipped', 'skipped']);
    expect(received()).toEqual(phones(0, 1));
  });

  test('from another account knows nothing of the first one', async () => {
    await run(contacts(1), once(parameters));
    const account = accountOf(sandbox(), '/other/v1');
    const other = await run(contacts(1), once(parameters), { account });
    expect(outcomesOf(other)).not.toEqual(['skipped']);
  });

  test('stopped by a failure does not warn that a new execution sends again what was sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 401, after: 1 }]);
    const one = inBatchesOf(1, once(parameters, { parallelRequests: 1 }));
    const { error } = await run(contacts(3), one, { onError: 'stopWorkflow' });
    expect(error?.description).toMatch(/1 of 3 messages was sent\.(?! To send the rest)/);
  });

  test('reports what a dry run would skip, and the dry run reserves nothing', async () => {
    await run(contacts(1), once(parameters));
    const dry = await run(contacts(3), once(parameters, { dryRun: true }));
    expect(outcomesOf(dry)).toEqual(['skipped', 'dry_run', 'dry_run']);
    expect(outcomesOf(await run(contacts(3), once(parameters)))).toEqual(['skipped', 'sent', 'sent']);
  });

  test("needs credits only for what is left with 'Check Credits First'", async () => {
    await run(contacts(3), once(parameters));
    sandbox().setCredits(1);
    const second = await run(contacts(4), once(parameters, { checkCreditsFirst: true }));
    expect(outcomesOf(second)).toEqual(['skipped', 'skipped', 'skipped', 'sent']);
  });

  test('knows a message by its key, whatever its text', async () => {
    await run([keyed(0, 'Hello', 'A1')], once(parameters, BY_ORDER));
    const second = await run(
      [keyed(0, 'Other text', 'A1'), keyed(0, 'Hello', 'A2'), keyed(1, 'Hello', 'A2')],
      once(parameters, BY_ORDER),
    );
    expect(second.outputs[0]?.map(({ json }) => [json.status, json.sent_before, json.duplicate_of])).toEqual([
      ['skipped', true, undefined],
      ['sent', undefined, undefined],
      ['skipped', undefined, 1],
    ]);
    expect(receivedTexts(sandbox())).toEqual(['Hello', 'Hello']);
  });

  test('does not send an item whose key is empty, and sends the others', async () => {
    const items = [keyed(0, 'Hello', 'A1'), { phone: phoneAt(1), text: 'Hello' }];
    const ran = await run(items, once(parameters, BY_ORDER));
    expect(outcomesOf(ran)).toEqual(['sent', 'not_sent']);
    expect(ran.outputs[0]?.[1]?.json.error).toBe("The option 'Message Key' is empty for this item");
  });

  test('sends what was sent before the last ones that are remembered', async () => {
    const last = once(parameters, { rememberLast: 1 });
    // Each waits until n8n has nothing to store any more.
    const campaign = async (items: IDataObject[]) => await new Campaign(sandbox(), setupOf(items, last)).run();
    await campaign(contacts(1));
    // More than the storage has room for besides.
    const many = Array.from({ length: 25_010 }, (_, index) => `other ${index}`);
    processedData.fill(many);
    await campaign(contacts(2).slice(1));
    expect(outcomesOf(await campaign(contacts(1)))).toEqual(['sent']);
  });
});

test.each(SENDING_OPERATIONS)('No write of %s shortens the list', async (_name, parameters) => {
  const allowed = new Set<number>();
  processedData.set({ onCheck: (maxEntries) => allowed.add(maxEntries) });
  await run(contacts(3), once(parameters, { rememberLast: 1 }));
  expect([...allowed]).toEqual([0]);
});

test('A run that remembers nothing, or less, forgets nothing that others remember', async () => {
  await run(contacts(3), once(SEND_BULK, { rememberLast: 20_000 }));
  processedData.fill(Array.from({ length: 15_000 }, (_, index) => `other ${index}`));
  await run(contacts(5).slice(3), SEND_BULK);
  expect(outcomesOf(await run(contacts(3), once(SEND_BULK, { rememberLast: 20_000 })))).toEqual(
    Array(3).fill('skipped'),
  );
});

test('A second execution fills its requests with what is left', async () => {
  const odd = contacts(6).filter((_, index) => index % 2 === 1);
  await run(odd, once(SEND_BULK));
  await run(contacts(6), inBatchesOf(3, once(SEND_BULK)));
  expect(requestSizes(sandbox())).toEqual([3, 3]);
});

test('A list is known by its key together with number and text', async () => {
  const items = [{ list: listOf(3), order: 'A1' }];
  await run(items, once(SEND_LIST, BY_ORDER));
  const second = await run([...items, { list: listOf(2), order: 'A2' }], once(SEND_LIST, BY_ORDER));
  expect(outcomesOf(second)).toEqual(['skipped', 'skipped', 'skipped', 'sent', 'sent']);
});

test('One Item per Request gives what was sent before an item each', async () => {
  await run(contacts(1), once(SEND_BULK));
  const second = await run(contacts(2), once(SEND_BULK, { output: 'batches' }));
  expect(second.outputs[0]?.map(({ json }) => [json.status, json.sent_before, json.batch])).toEqual([
    ['skipped', true, null],
    [undefined, undefined, 1],
  ]);
});

test('A Retry does not send what was sent, and sends again what may have been with Send Again', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, phones: [phoneAt(1)] }]);
  const setup = setupOf(contacts(3), inBatchesOf(1, once(SEND, { parallelRequests: 1 })), { onError: 'stopWorkflow' });
  const failed = await runWorkflow(setup);
  expect(failed.error).toBeDefined();
  sandbox().setFaults([]);
  const reported = await retryExecution(failed, setup, { ...setup, onError: 'continueRegularOutput' });
  expect(outcomesOf(reported)).toEqual(['sent', 'uncertain', 'sent']);
  const again = { ...setup, parameters: once(SEND, { uncertain: 'sendAgain' }) };
  expect(outcomesOf(await retryExecution(failed, setup, again))).toEqual(['sent', 'sent', 'skipped']);
});

test('A message that may have been sent stays reserved when Send Again is refused', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503 }]);
  const setup = setupOf(contacts(1), once(SEND), { onError: 'stopWorkflow' });
  const failed = await runWorkflow(setup);
  sandbox().setFaults([{ kind: 'status', status: 403, times: 99 }]);
  await retryExecution(failed, setup, { ...setup, parameters: once(SEND, { uncertain: 'sendAgain' }) });
  sandbox().setFaults([]);
  expect(outcomesOf(await run(contacts(1), once(SEND)))).toEqual(['uncertain']);
});

test('A message that may have been sent stays uncertain when nobody can tell what other executions have sent', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503, phones: [phoneAt(0)] }]);
  const setup = setupOf(contacts(2), inBatchesOf(1, once(SEND, { parallelRequests: 1 })), { onError: 'stopWorkflow' });
  const failed = await runWorkflow(setup);
  sandbox().setFaults([]);
  processedData.set({ refuses: () => true });
  const sendAgain = { ...setup, parameters: once(SEND, { uncertain: 'sendAgain' }) };
  const again = await retryExecution(failed, setup, { ...sendAgain, onError: 'continueRegularOutput' });
  expect(outcomesOf(again)).toEqual(['uncertain', 'not_sent']);
});

test('What Send Again sends is remembered, though the first attempt was without the option', async () => {
  sandbox().setFaults([{ kind: 'status', status: 503 }]);
  const setup = setupOf(contacts(1), SEND, { onError: 'stopWorkflow' });
  const failed = await runWorkflow(setup);
  sandbox().setFaults([]);
  const again = { ...setup, parameters: once(SEND, { uncertain: 'sendAgain' }) };
  expect(outcomesOf(await retryExecution(failed, setup, again))).toEqual(['sent']);
  expect(outcomesOf(await run(contacts(1), once(SEND)))).toEqual(['skipped']);
  expect(received()).toEqual(phones(0));
});

test.each([
  ['a single message', 1],
  ['several requests', 3],
])('Send Again sends nothing that another execution has sent meanwhile: %s', async (_what, count) => {
  sandbox().setFaults([{ kind: 'status', status: 503 }]);
  const setup = setupOf(contacts(count), SEND, { onError: 'stopWorkflow' });
  const failed = await runWorkflow(setup);
  sandbox().setFaults([]);
  await run(contacts(1), once(SEND));
  const again = { ...setup, parameters: once(SEND, { uncertain: 'sendAgain' }) };
  const outcomes = outcomesOf(await retryExecution(failed, setup, { ...again, onError: 'continueRegularOutput' }));
  expect(outcomes).toEqual(['skipped', ...Array<string>(count - 1).fill('sent')]);
  expect(received()).toEqual(phones(...Array.from({ length: count }, (_, index) => index)));
});

test('After a kill, a new execution sends what was not begun, and only what was in flight is uncertain', async () => {
  const campaign = new Campaign(sandbox(), setupOf(contacts(5), once(SEND, { parallelRequests: 1 })));
  await campaign.run({ lifetime: killedAtNth('left', 3) });
  const second = await run(contacts(5), once(SEND));
  expect(outcomesOf(second)).toEqual(['skipped', 'skipped', 'uncertain', 'sent', 'sent']);
  expect(received()).toEqual(phones(0, 1, 2, 3, 4));
});

test('After a kill, a Retry does so, too, with n8n’s event log or without', async () => {
  for (const eventLog of ['kept', 'gone'] as const) {
    sandbox().reset();
    processedData.reset();
    const campaign = new Campaign(sandbox(), setupOf(contacts(5), once(SEND, { parallelRequests: 1 })));
    await campaign.run({ lifetime: killedAtNth('left', 3), eventLog });
    const fates = await campaign.finish();
    expect(fates.map(({ outcome }) => outcome)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent']);
    expect(fates.map(({ arrivals }) => arrivals)).toEqual([1, 1, 1, 1, 1]);
  }
});

test.each([
  ['switched on', SEND, once(SEND)],
  ['switched off', once(SEND), SEND],
])('After a kill, a Retry with the option %s sends nothing twice', async (_how, before, after) => {
  const oneByOne = ({ options, ...rest }: INodeParameters) => ({
    ...rest,
    options: { ...(options as INodeParameters), parallelRequests: 1 },
  });
  const campaign = new Campaign(sandbox(), setupOf(contacts(5), oneByOne(before)));
  await campaign.run({ lifetime: killedAtNth('left', 3), eventLog: 'gone' });
  const fates = await campaign.finish({ parameters: oneByOne(after) });
  expect(fates.map(({ arrivals }) => arrivals).filter((arrivals) => arrivals > 1)).toEqual([]);
  const notArrived = fates.filter(({ arrivals }) => arrivals === 0).map(({ outcome }) => outcome);
  expect(notArrived.filter((outcome) => outcome !== 'uncertain')).toEqual([]);
});

test('Of two workers that write at the same moment, one sends', async () => {
  // The first one's writes are overwritten by the other's.
  for (let lost = 1; lost <= 8; lost += 1) {
    sandbox().reset();
    processedData.reset();
    processedData.set({ loses: (number) => number === lost });
    const both = [await run(contacts(2), once(SEND_BULK)), await run(contacts(2), once(SEND_BULK))];
    expect(received()).toEqual(phones(0, 1));
    expect(both.flatMap(outcomesOf).filter((outcome) => outcome === 'sent')).toHaveLength(2);
  }
});

test('The storage refuses in the middle: what is not reserved is not sent', async () => {
  for (let first = 1; first <= 12; first += 1) {
    sandbox().reset();
    processedData.reset();
    processedData.set({ refuses: (number) => number >= first });
    const ran = await run(contacts(4), inBatchesOf(1, once(SEND_BULK, { parallelRequests: 1 })));
    const sent = outcomesOf(ran).filter((outcome) => outcome === 'sent').length;
    expect(received()).toHaveLength(sent);
  }
});

test('Where n8n keeps nothing for the node, nothing is sent', async () => {
  const items = contacts(1);
  const account = accountOf(sandbox());
  const routed = runRouting({ account, items, parameters: once(SEND) });
  await expect(routed).rejects.toThrow("'Send Once, Across Executions' works only in a saved workflow");
  const unsaved = await run(items, once(SEND), { workflowId: '' });
  expect(detailsOf(unsaved.outputs[0]?.[0]).code).toBe('NOT_SET_UP');
  expect(sandbox().requests()).toEqual([]);
});

test('No number, text, key or API key is stored', async () => {
  await run([keyed(0, 'Hello there', 'Order A1')], once(SEND, BY_ORDER));
  const stored = JSON.stringify(processedData.calls);
  for (const secret of [phoneAt(0), 'Hello there', 'Order A1', accountOf(sandbox()).apiKey]) {
    expect(stored).not.toContain(secret);
  }
  expect(processedData.entries.length).toBeGreaterThan(0);
});
