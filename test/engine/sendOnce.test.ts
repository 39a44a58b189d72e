/**
 * What send once promises: messages that other executions of the node have sent are not sent again, and which messages
 * are the same: one person and one content.
 */
import { type IDataObject, type INodeParameters, WAIT_NODE_TYPE } from 'n8n-workflow';

import type { Fault } from '../../sandbox/server';
import { inFlight, killedAtNth, Lifetime } from '../../tools/engine/lifetime';
import { processedData } from '../../tools/engine/processedData';
import { contacts, KEY, listOf, phoneAt, phones } from '../support/contacts';
import { outcomes } from '../support/engine/campaign';
import { nodeForTests } from '../support/engine/nodeForTests';
import { runRouting, type Setup } from '../support/engine/workflow';
import { detailsOf, hintsOf, outcomeOf, outcomesOf, reasonsOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, SEND_LIST, SENDERS, withOptions } from '../support/parameters';
import { accountOf } from '../support/sandbox';

const OTHER = 'made-up-other-key-0123';
const node = nodeForTests({ mode: 'trigger', onError: 'continueRegularOutput' }, { keys: [KEY, OTHER] });
const { sandbox, atRequest, setupOf, retry, campaign, texts, requests } = node;
const run = async (items: IDataObject[], parameters: INodeParameters, more: Partial<Setup> = {}) =>
  await node.run({ items, parameters, ...more });
const received = () => node.received().sort();

const once = (parameters: INodeParameters, options: INodeParameters = {}) =>
  withOptions(parameters, { duplicateMessages: 'sendOnceEver', ...options });
const to = (phone: unknown, text: string) => ({ phone, text }) as IDataObject;

describe('In one run', () => {
  const spelled = [phoneAt(0), `+${phoneAt(0)}`, phoneAt(0), phoneAt(1), phoneAt(0)];
  const items = spelled.map((phone, index) => to(phone, index === 2 ? 'Hello!' : 'Hello'));

  test.each(SENDERS)("%s sends every one, set to 'Send Every One'", async (_name, parameters) => {
    await run(items, withOptions(parameters, { duplicateMessages: 'send' }));
    expect(received()).toHaveLength(5);
  });

  test.each(SENDERS)('%s sends a text to a number once', async (_name, parameters) => {
    const { outputs } = await run(items, parameters);
    expect(received()).toEqual(phones(0, 0, 1));
    expect(outputs[0]?.map(({ json, pairedItem }) => [json.status, json.duplicate_of, pairedItem])).toEqual([
      ['sent', undefined, { item: 0 }],
      ['skipped', 0, { item: 1 }],
      ['sent', undefined, { item: 2 }],
      ['sent', undefined, { item: 3 }],
      ['skipped', 0, { item: 4 }],
    ]);
    expect(outputs[0]?.[4]?.json.message_id).toBe(outputs[0]?.[0]?.json.message_id);
  });

  test.each<[outcome: string, Fault]>([
    ['not_sent', { kind: 'status', status: 402 }],
    ['uncertain', { kind: 'reset-after' }],
  ])('a duplicate of a message that is %s is so as well', async (outcome, fault) => {
    sandbox().setFaults([fault]);
    expect(outcomesOf(await run(items, SEND_BULK))).toEqual(Array(5).fill(outcome));
  });

  test.each(SENDERS)('%s skips a duplicate of what another account sends', async (_name, parameters) => {
    const own = [KEY, OTHER].map((key) => ({ ...contacts(1)[0], key }));
    const account = { ...accountOf(sandbox()), apiKey: '={{ $json.key }}' };
    expect(outcomesOf(await run(own, parameters, { account }))).toEqual(['sent', 'skipped']);
    expect(sandbox().messages()).toMatchObject([{ key: 'key 1', phone: phoneAt(0) }]);
  });
});

describe('Send Bulk in a second execution', () => {
  test('skips what the first one has sent, and the hint says how many', async () => {
    await run(contacts(3), once(SEND_BULK));
    const onConsole = jest.fn();
    const second = await run(contacts(5), once(SEND_BULK), { mode: 'manual', onConsole });
    expect(onConsole).toHaveBeenLastCalledWith('Send: 5 of 5 messages done');
    expect(received()).toEqual(phones(0, 1, 2, 3, 4));
    expect(outcomesOf(second)).toEqual(['skipped', 'skipped', 'skipped', 'sent', 'sent']);
    const [first] = second.outputs[0] ?? [];
    expect(first?.json).toMatchObject({ message_id: null, status: 'skipped', phone: phoneAt(0), sent_before: true });
    expect(first?.pairedItem).toEqual({ item: 0 });
    expect(hintsOf(second)[0]?.message).toContain('2 sent, 3 skipped because already sent');
  });

  test('sends what the first one could not send, and not what may have been sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 403, phones: [phoneAt(1)] }]);
    await run(contacts(2), inBatchesOf(1, once(SEND_BULK)));
    sandbox().setFaults([{ kind: 'status', status: 503 }]);
    await run(contacts(3).slice(2), once(SEND_BULK));
    sandbox().setFaults([]);
    const second = await run(contacts(3), once(SEND_BULK));
    expect(reasonsOf(second)).toEqual(['sent_before', undefined, 'may_have_been_sent']);
    expect(hintsOf(second)[0]?.message).toContain('1 skipped because perhaps already sent');
    expect(received()).toEqual(phones(0, 1));
  });

  test.each<[how: string, mode: Setup['mode'], options: INodeParameters]>([
    ['by a trigger', 'trigger', {}],
    ['by hand', 'manual', {}],
    ['as a dry run', 'manual', { dryRun: true }],
  ])('that is started %s sends nothing if nobody can tell what was sent before', async (_how, mode, options) => {
    processedData.set({ refuses: () => true });
    const refused = await run(contacts(2), once(SEND_BULK, options), { mode });
    expect(outcomesOf(refused)).toEqual(['not_sent', 'not_sent']);
    expect(detailsOf(refused.outputs[0]?.[0]).code).toBe('NOT_RESERVED');
    expect(requests()).toEqual([]);
  });

  test('with more messages than n8n remembers sends nothing', async () => {
    const run50001 = await run([{ list: listOf(50_001) }], once(SEND_LIST));
    expect(run50001.outputs[0]?.[0]?.json.error).toContain('remembers 50,000 messages, and this run has 50,001');
    expect(requests()).toEqual([]);
  });

  test('from another account knows nothing of the first one', async () => {
    await run(contacts(1), once(SEND_BULK));
    const account = { ...accountOf(sandbox()), apiKey: OTHER };
    expect(outcomesOf(await run(contacts(1), once(SEND_BULK), { account }))).toEqual(['sent']);
  });

  test('sends nothing again because its Base URL is the other one of the API', async () => {
    const baseUrl = `={{ "${sandbox().url}" + $json.path }}`;
    const items = ['/v1', '/api/v1'].flatMap((path) => contacts(2).map((contact) => ({ ...contact, path })));
    const ran = await run(items, once(SEND_BULK), { account: { ...accountOf(sandbox()), baseUrl } });
    expect(outcomesOf(ran)).toEqual(['sent', 'sent', 'skipped', 'skipped']);
    const again = await run(contacts(2), once(SEND_BULK), { account: accountOf(sandbox(), '/api/v1') });
    expect(outcomesOf(again)).toEqual(['skipped', 'skipped']);
    expect(received()).toEqual(phones(0, 1));
  });

  test('of another node of the workflow knows nothing of the first one', async () => {
    const parameters = once({ ...SEND_BULK, message: 'Sale' });
    await run(contacts(2), parameters, { next: parameters });
    expect(received()).toEqual(phones(0, 0, 1, 1));
  });

  test("needs credits only for what is left with 'Check Credits First'", async () => {
    await run(contacts(3), once(SEND_BULK));
    sandbox().setCredits(1);
    const second = await run(contacts(4), once(SEND_BULK, { checkCreditsFirst: true }));
    expect(outcomesOf(second)).toEqual(['skipped', 'skipped', 'skipped', 'sent']);
  });
});

test('If n8n keeps nothing for the node, nothing is sent', async () => {
  const items = contacts(1);
  const routed = runRouting(setupOf({ items, parameters: once(SEND), onError: 'stopWorkflow' }));
  await expect(routed).rejects.toThrow(
    "'Send Once, Also in Later Runs' does not work for an MCP server or a sub-agent",
  );
  expect(detailsOf((await run(items, once(SEND), { workflowId: '' })).outputs[0]?.[0]).code).toBe('NOT_SET_UP');
  expect(requests()).toEqual([]);
});

test('A workflow that was never saved sends after n8n has waited', async () => {
  const ran = await run(contacts(2), SEND_BULK, { workflowId: '', startType: WAIT_NODE_TYPE, mode: 'manual' });
  expect(outcomesOf(ran)).toEqual(['sent', 'sent']);
});

const [REFUSED, WRONG, LOST] = [403, 422, 503].map((status) => ({ kind: 'status', status })) as [Fault, Fault, Fault];

describe('Of 30 webhooks that send with one key at the same time', () => {
  /** How many of the executions report each outcome, each reason to skip, or each code of a failure. */
  const reported = async (longestWait: number) => {
    const parameters = once(SEND, { messageKey: '={{ $json.order }}', longestWait });
    const ran = await Promise.all(
      Array.from({ length: 30 }, async () => await run([{ ...to(phoneAt(0), 'Hello'), order: 'A1' }], parameters)),
    );
    const counts: Record<string, number> = {};
    for (const item of ran.flatMap(({ outputs }) => outputs.flat())) {
      const { error, reason = outcomeOf(item) } = item.json;
      const what = String(error === undefined ? reason : detailsOf(item).code);
      counts[what] = (counts[what] ?? 0) + 1;
    }
    return counts;
  };

  test.each<[what: string, fault: Fault, longestWait: number, counts: Record<string, number>, requested: number]>([
    ['one sends, and the others wait and skip it', { kind: 'delay', ms: 100 }, 1, { sent: 1, sent_before: 29 }, 1],
    ["none waits for longer than 'Max Wait'", { kind: 'delay', ms: 300 }, 0, { sent: 1, may_have_been_sent: 29 }, 1],
    ['another sends if the first is refused', REFUSED, 1, { FORBIDDEN: 1, sent: 1, sent_before: 28 }, 2],
    ['another sends if the first is wrong', WRONG, 1, { VALIDATION_ERROR: 1, sent: 1, sent_before: 28 }, 2],
    ['none sends once it is unknown', LOST, 1, { HTTP_503: 1, may_have_been_sent: 29 }, 1],
  ])('%s', async (_what, fault, longestWait, counts, requested) => {
    sandbox().setFaults([{ ...fault, times: 1 }]);
    expect(await reported(longestWait)).toEqual(counts);
    expect(received()).toHaveLength(counts.sent ?? 0);
    expect(requests().filter(({ endpoint }) => endpoint !== 'balance')).toHaveLength(requested);
  });
});

const oneByOne = once(SEND, { parallelRequests: 1 });

describe('After a failure', () => {
  /** An execution whose message to this contact is uncertain. */
  const failed = async (items: IDataObject[], parameters: INodeParameters, uncertain: number) => {
    sandbox().setFaults([{ kind: 'status', status: 503, phones: [phoneAt(uncertain)] }]);
    const setup = setupOf({ items, parameters, onError: 'stopWorkflow' });
    const ran = await run(items, parameters, setup);
    expect(ran.error).toBeDefined();
    sandbox().setFaults([]);
    return async (changes: Partial<Setup>) =>
      outcomesOf(await retry(ran, setup, { onError: 'continueRegularOutput', ...changes }));
  };

  test('a Retry does not send what was sent or may have been, and later executions leave out both', async () => {
    const retried = await failed(contacts(3), inBatchesOf(1, oneByOne), 1);
    expect(await retried({})).toEqual(['sent', 'uncertain', 'sent']);
    const [sent, maybe, same] = ['sent_before', 'may_have_been_sent', 'duplicate'];
    expect(reasonsOf(await run([...contacts(3), ...contacts(2)], oneByOne))).toEqual([sent, maybe, sent, same, maybe]);
    expect(received()).toEqual(phones(0, 2));
  });

  test('a Retry that can ask nothing sends nothing, and keeps what it knows', async () => {
    const retried = await failed(contacts(3), inBatchesOf(1, oneByOne), 1);
    processedData.set({ refuses: () => true });
    expect(await retried({})).toEqual(['sent', 'uncertain', 'uncertain']);
    expect(received()).toEqual(phones(0));
  });

  test.each<[what: string, faults: Fault[], arrived: number[]]>([
    ['has sent', [], [1, 2]],
    ['may have sent', [LOST], [2]],
  ])('a Retry leaves out what another execution %s in the meantime', async (_what, faults, arrived) => {
    const retried = await failed(contacts(3), inBatchesOf(1, SEND), 0);
    sandbox().setFaults(faults);
    await run(contacts(2).slice(1), once(SEND));
    sandbox().setFaults([]);
    expect(await retried({ parameters: once(SEND) })).toEqual(['uncertain', 'skipped', 'sent']);
    expect(received()).toEqual(phones(...arrived));
  });
});

test('What a run had only asked about when it was killed is uncertain in its Retry: no other execution can have sent it', async () => {
  const killed = campaign({ items: contacts(3), parameters: inBatchesOf(1, once(SEND_BULK)) });
  // The start, and the question, before its end.
  await killed.run({ lifetime: killedAtNth('written', 2) });
  expect(outcomes(await killed.finish())).toEqual(['uncertain', 'uncertain', 'uncertain']);
  expect(received()).toEqual([]);
});

test('After a kill, a new execution sends messages that were not begun, and leaves out those in flight', async () => {
  await campaign({ items: contacts(5), parameters: oneByOne }).run(inFlight(3));
  const second = await run(contacts(5), once(SEND));
  expect(reasonsOf(second)).toEqual(['sent_before', 'sent_before', 'may_have_been_sent', undefined, undefined]);
  const [hint] = hintsOf(second);
  expect(hint?.message).toContain('may have sent the messages of item 2 (counted from 0): ask the recipients.');
  expect(hint?.type).toBe('warning');
  expect(received()).toEqual(phones(0, 1, 2, 3, 4));
});

// 50,000 messages, and what Retries may need.
test.each(SENDERS)('No write of %s shortens the list to less than 60,000 entries', async (_name, parameters) => {
  const allowed = new Set<number>();
  processedData.set({ onCheck: (maxEntries) => allowed.add(maxEntries) });
  await run(contacts(3), once(parameters));
  // Without a length, n8n drops nothing.
  expect([...allowed].sort()).toEqual([0, 60_000]);
});

test('The node waits for a database that is locked in the middle of a campaign, and everything is sent', async () => {
  let lockedUntil = 0;
  processedData.set({ refuses: () => Date.now() < lockedUntil });
  atRequest(() => {
    if (requests().length === 3) lockedUntil = Date.now() + 1_500;
  });
  const ran = await run(contacts(5), inBatchesOf(1, once(SEND_BULK, { parallelRequests: 1, longestWait: 1 })));
  expect(lockedUntil).toBeGreaterThan(0);
  expect(outcomesOf(ran)).toEqual(Array(5).fill('sent'));
  expect(received()).toHaveLength(5);
});

test('A run with send once leaves out whom a list without it has sent something, and whom it may have', async () => {
  const lifetime = new Lifetime();
  const parameters = inBatchesOf(2, withOptions(SEND_BULK, { parallelRequests: 1 }));
  sandbox().setFaults([{ kind: 'reset-after', after: 1, times: 1 }]);
  await run(contacts(4), parameters, { lifetime });
  const again = await run(contacts(5), once(parameters, { parallelRequests: 1 }), { lifetime });
  const [sent, maybe] = ['sent_before', 'may_have_been_sent'];
  expect(reasonsOf(again)).toEqual([sent, sent, maybe, maybe, undefined]);
  expect(received()).toEqual(phones(0, 1, 2, 3, 4));
});

test('What was sent once stays sent, even if a list without send once may have sent it again', async () => {
  const inNewProcess = async (parameters: INodeParameters) =>
    reasonsOf(await run(contacts(2), parameters, { lifetime: new Lifetime() }));
  await run(contacts(1), once(SEND_BULK));
  sandbox().setFaults([{ ...LOST, times: 1 }]);
  await inNewProcess(SEND_BULK);
  expect(await inNewProcess(once(SEND_BULK))).toEqual(['sent_before', 'may_have_been_sent']);
});

test("A 'Message Key' for a JSON list is one message for each person in it, and stands for its texts", async () => {
  const list = [...listOf(3), { phone: phoneAt(1), message: 'Another text' }];
  const parameters = once(SEND_LIST, { messageKey: 'summer-campaign' });
  expect(reasonsOf(await run([{ list }], parameters))).toEqual([undefined, undefined, undefined, 'duplicate']);
  const before = Array<string>(3).fill('sent_before');
  expect(reasonsOf(await run([{ list: listOf(4) }], parameters))).toEqual([...before, undefined]);
  expect(received()).toEqual(phones(0, 1, 2, 3));
});

test('Keys that a reader cannot tell apart are one, and no key is a text', async () => {
  const keys = ['Zo\u00eb', 'Zoe\u0308', ' Zo\u00eb\n', 'a\ud800', 'a\ud801', 'a\ufffd', 'a\ud800'];
  const items = keys.map((key) => ({ ...to(phoneAt(0), 'Hello'), key }));
  const parameters = once(SEND_BULK, { messageKey: '={{ $json.key }}' });
  const [sent, skipped] = ['sent', 'skipped'];
  // Halves of emojis are characters that differ.
  expect(outcomesOf(await run(items, parameters))).toEqual([sent, skipped, skipped, sent, sent, sent, skipped]);
  expect(outcomesOf(await run([to(phoneAt(0), 'Zo\u00eb')], once(SEND_BULK)))).toEqual(['sent']);
});

test('Texts that a reader sees as the same are one message, in a run and in later ones', async () => {
  const alike = ['Hi Zo\u00eb', 'Hi Zoe\u0308', 'Hi Zo\u00eb ', 'Hi Zo\u00eb\n', '\tHi Zoe\u0308\u00a0'];
  const items = alike.map((text) => to(phoneAt(0), text));
  expect(reasonsOf(await run(items, SEND_BULK))).toEqual([undefined, ...Array<string>(4).fill('duplicate')]);
  expect(reasonsOf(await run(items.slice(2), once(SEND_BULK)))).toEqual(['sent_before', 'duplicate', 'duplicate']);
  for (const item of items) expect(reasonsOf(await run([item], once(SEND_BULK)))).toEqual(['sent_before']);
  const others = ['Hi  Zo\u00eb', 'hi Zo\u00eb', 'Hi Zoe'].map((text) => to(phoneAt(0), text));
  expect(outcomesOf(await run(others, once(SEND_BULK)))).toEqual(['sent', 'sent', 'sent']);
  expect(texts()).toHaveLength(4);
});

test.each(SENDERS)('An evaluation is a dry run of %s: nothing is sent or counts as sent', async (_name, given) => {
  for (const parameters of [given, once(given)]) {
    const evaluated = await run(contacts(3), parameters, { mode: 'evaluation' });
    expect(outcomesOf(evaluated)).toEqual(['dry_run', 'dry_run', 'dry_run']);
    expect(requests()).toEqual([]);
  }
  expect(outcomesOf(await run(contacts(3), once(given)))).toEqual(['sent', 'sent', 'sent']);
  // Nor does an evaluation forget.
  const again = await run(contacts(4), once(given), { mode: 'evaluation' });
  expect(reasonsOf(again)).toEqual([...Array<string>(3).fill('sent_before'), 'would_be_sent']);
  expect(received()).toEqual(phones(0, 1, 2));
});

test('A long text that was split is the same message when it is truncated', async () => {
  const text = `${'a'.repeat(999)} ${'b'.repeat(999)}`;
  const runAs = async (longMessages: string) =>
    outcomesOf(await run([to(phoneAt(0), text), to(phoneAt(0), text)], once(SEND, { longMessages })));
  expect(await runAs('split')).toEqual(['sent', 'skipped']);
  expect(await runAs('truncate')).toEqual(['skipped', 'skipped']);
});
