/**
 * What a Retry does after n8n was killed in a campaign, what a run leaves in n8n's database for it, and what happens if
 * the database rejects writes, or forgets. `everyKill.test.ts` kills n8n at every moment.
 */
import type { INodeParameters } from 'n8n-workflow';

import { inFlight, killedAtNth, Lifetime } from '../../tools/engine/lifetime';
import { processedData } from '../../tools/engine/processedData';
import { contacts, KEY, listOf, phoneAt, phones } from '../support/contacts';
import { arrivals, type Campaign, outcomes } from '../support/engine/campaign';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Setup } from '../support/engine/workflow';
import { detailsOf, outcomeOf, outcomesOf } from '../support/outputs';
import {
  GET_BALANCE,
  inBatchesOf,
  oneByOne,
  SEND,
  SEND_BULK,
  SEND_LIST,
  SENDERS,
  withOptions,
} from '../support/parameters';

const { sandbox, run, campaign: start, received } = nodeForTests();
const CONTINUE = 'continueRegularOutput';
const items = (count: number) => ({ items: contacts(count) });
const allSent = (count: number) => Array<string>(count).fill('sent');

describe.each<[string, INodeParameters, Setup['items']]>([
  ['Send', oneByOne(SEND), contacts(5)],
  ['Send Bulk', inBatchesOf(1, oneByOne(SEND_BULK)), contacts(5)],
  ['Send Bulk from a JSON List', inBatchesOf(1, oneByOne(SEND_LIST)), [{ list: listOf(5) }]],
])('After n8n was killed in the third of five requests of %s,', (_name, parameters, items) => {
  test.each(['kept', 'gone'] as const)('a Retry sends only the last two (event log: %s)', async (eventLog) => {
    const campaign = start({ parameters, items });
    await campaign.run({ ...inFlight(3), eventLog });
    const { error } = await campaign.run();
    expect(error?.message).toContain(
      "n8n stopped during an earlier attempt, or another retry has run since, so this message's outcome is unknown",
    );
    expect(error?.context.itemIndex).toBe(parameters.source === 'json' ? 0 : 2);
    expect(received()).toEqual(contacts(5).map(({ phone }) => phone));
    const fates = await campaign.finish();
    expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent']);
    expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1]);
    expect(fates.map(({ id }) => id)).toEqual([null, null, undefined, 1004, 1005]);
    expect(detailsOf(campaign.execution.outputs[0]?.[2])).toMatchObject({ code: 'INTERRUPTED', phone: phoneAt(2) });
  });
});

test('A Retry after an earlier node failed, or after a kill before the first request, sends everything', async () => {
  const failed = start({ parameters: SEND, ...items(4), startFails: true });
  await failed.run();
  expect(failed.execution.error?.message).toContain('out of reach');
  expect(outcomes(await failed.finish({ startFails: false }))).toEqual(allSent(4));
  expect(received()).toHaveLength(4);
  const killed = start({ parameters: SEND, ...items(4) });
  await killed.run({ lifetime: killedAtNth('ended', 1) });
  expect(outcomes(await killed.finish())).toEqual(allSent(4));
  expect(received()).toHaveLength(8);
});

test.each<[when: string, setup: Partial<Setup>]>([
  ['the second round of a loop', { loopOver: 1 }],
  ['a Retry of an execution that an earlier node had ended', { startFails: true }],
])('After a kill in %s, a Retry sends all but the message that was in flight', async (_when, setup) => {
  const campaign = start({ parameters: oneByOne(SEND), ...items(4), ...setup });
  if (setup.startFails === true) await campaign.run();
  const changes = { startFails: false, onError: CONTINUE } as const;
  await campaign.run({ changes, ...inFlight(2) });
  const fates = await campaign.finish(changes);
  expect(outcomes(fates)).toEqual(['sent', 'uncertain', 'sent', 'sent']);
  expect(arrivals(fates)).toEqual([1, 1, 1, 1]);
});

test('A single message of a later run that was in flight at a kill is not sent again, though the first run was a list', async () => {
  const campaign = start({ parameters: oneByOne(SEND), items: contacts(2), moreItems: [contacts(3).slice(2)] });
  await campaign.run(inFlight(3));
  const fates = await campaign.finish();
  expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain']);
  expect(arrivals(fates)).toEqual([1, 1, 1]);
});

test('A message that was to be requested again when n8n was killed is uncertain: another process may be sending it', async () => {
  sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 1, after: 2, times: 1 }]);
  const campaign = start({ parameters: withOptions(SEND, { parallelRequests: 1, longestWait: 5 }), ...items(4) });
  await campaign.run({ lifetime: killedAtNth('leaving', 4) });
  expect(outcomes(await campaign.finish())).toEqual(['sent', 'sent', 'uncertain', 'sent']);
  expect(received()).toEqual(phones(0, 1, 3));
});

test('A Retry of a Retry that could send nothing asks about the one that has taken its number since', async () => {
  const campaign = start({ parameters: oneByOne(SEND), ...items(4) });
  const killed = await campaign.run(inFlight(1));
  sandbox().setFaults([{ kind: 'status', status: 401, probability: 1 }]);
  const refused = await campaign.run({ earlier: killed });
  sandbox().setFaults([]);
  await campaign.run({ earlier: killed, ...inFlight(2) });
  await campaign.run({ earlier: refused, changes: { onError: CONTINUE } });
  expect(outcomes(campaign.fates())).toEqual(['uncertain', 'sent', 'uncertain', 'sent']);
  expect(arrivals(campaign.fates())).toEqual([1, 1, 1, 1]);
});

test.each([
  ['was refused, only that one is sent again', { times: 1 }, 'sent', 6],
  ['is refused each time, that one comes out as not sent', { probability: 1 }, 'not_sent', 5],
])('Of a bulk request of which one message %s, after a kill later in the run', async (_what, how, outcome, count) => {
  sandbox().setFaults([{ kind: 'unsent', phones: [phoneAt(1)], ...how }]);
  const campaign = start({ parameters: inBatchesOf(2, oneByOne(SEND_BULK)), ...items(6), onError: CONTINUE });
  await campaign.run(inFlight(3));
  expect(outcomes(await campaign.finish())).toEqual(['sent', outcome, 'sent', 'sent', 'uncertain', 'uncertain']);
  expect(new Set(received()).size).toBe(count);
  expect(received()).toHaveLength(count);
});

test.each(SENDERS)("%s of one list each day takes no older execution's messages for its own", async (_name, given) => {
  const startDay = () => start({ parameters: inBatchesOf(1, oneByOne(given)), ...items(8) });
  const allButFrom = (index: number) => allSent(8).with(index, 'uncertain');
  const monday = startDay();
  await monday.run(inFlight(5));
  expect(received()).toHaveLength(5);
  sandbox().reset();
  const tuesday = startDay();
  await tuesday.run(inFlight(3));
  expect(outcomes(await tuesday.finish())).toEqual(allButFrom(2));
  expect(received()).toHaveLength(8);
  sandbox().reset();
  expect(outcomes(await monday.finish())).toEqual(allButFrom(4));
  expect(received().sort()).toEqual(phones(5, 6, 7));
});

type Kill = (begun: Campaign) => Promise<unknown>;
const whileItRan: Kill = async (begun) => await begun.run(inFlight(1));
const afterItEnded: Kill = async (begun) => await begun.runAndForget('kept');
const PROGRESS_SAVED = { settings: { saveExecutionProgress: true } };

describe.each(SENDERS)('A retry of %s', (_name, parameters) => {
  /**
   * Two messages were sent before; then n8n is killed in an execution in the editor in which the service rejects all
   * messages, and about which n8n's database knows nothing.
   */
  const killed = async (changes: Partial<Setup> = {}, kill = whileItRan) => {
    await run({ items: contacts(2), parameters });
    sandbox().setFaults([{ kind: 'status', status: 403, times: 99 }]);
    const begun = start({ mode: 'manual', items: contacts(4), parameters, ...changes });
    await kill(begun);
    sandbox().setFaults([]);
    return begun;
  };

  test.each<[string, Partial<Setup>, Kill]>([
    ['while the node ran, with its progress stored', PROGRESS_SAVED, whileItRan],
    ['after the node had ended, with nothing stored', {}, afterItEnded],
  ])('after n8n was killed %s, sends nothing, and calls all uncertain, also twice', async (_when, setup, kill) => {
    const begun = await killed(setup, kill);
    const { error } = await begun.run();
    expect(error?.message).toBe(
      "n8n stopped during an earlier attempt, or another retry has run since, so this message's outcome is unknown",
    );
    expect(error?.description).toContain('in a new execution, with only these items');
    expect(error?.description).toContain('0 sent, 4 uncertain (may have been sent), ');
    const again = await begun.run({ changes: { onError: 'continueErrorOutput' } });
    expect(outcomesOf(again)).toEqual(['uncertain', 'uncertain', 'uncertain', 'uncertain']);
    const details = { code: 'INTERRUPTED', http_status: null, outcome: 'uncertain', phone: phoneAt(0) };
    const description = expect.any(String) as string;
    expect(again.outputs[1]?.[0]?.json.details).toEqual({ ...details, description });
    expect(received().sort()).toEqual(phones(0, 1));
  });

  test('after n8n was killed sends nothing, even after a Retry in which the node was Get Balance', async () => {
    const begun = await killed(PROGRESS_SAVED);
    sandbox().setFaults([{ kind: 'status', status: 503, times: 9 }]);
    expect((await begun.run({ changes: { parameters: GET_BALANCE } })).error).toBeDefined();
    sandbox().setFaults([]);
    const { error } = await begun.run({ changes: {} });
    expect(error?.message).toContain('outcome is unknown');
    expect(received().sort()).toEqual(phones(0, 1));
  });
});

test.each<INodeParameters>([{ dryRun: true }, { testRun: phoneAt(9) }])(
  'After a kill in a run with %j, a Retry without it sends everything',
  async (options) => {
    const killed = start({ parameters: withOptions(SEND_BULK, options), ...items(3) });
    await killed.runAndForget('kept');
    sandbox().reset();
    expect(outcomes(await killed.finish({ parameters: SEND_BULK }))).toEqual(allSent(3));
    expect(received()).toEqual(phones(0, 1, 2));
  },
);

test('A single message is not sent again by the Retry after one whose second try was killed', async () => {
  const begun = start({ items: contacts(1), parameters: SEND, retryOnFail: { maxTries: 2 } });
  await begun.run(inFlight(1));
  await begun.runAndForget('kept');
  const fates = await begun.finish();
  expect(outcomes(fates)).toEqual(['uncertain']);
  expect(arrivals(fates)).toEqual([1]);
});

const ONCE = { duplicateMessages: 'sendOnceEver' };
const another = { phone: '447700911111', text: 'New' };

/** How many messages ended in each way, after a last Retry with these items; nobody got a message twice. */
async function ends(killed: Campaign, changes?: Partial<Setup>): Promise<Record<string, number>> {
  const fates = await killed.finish(changes);
  expect(Math.max(...arrivals(fates))).toBe(1);
  const counts: Record<string, number> = {};
  for (const outcome of outcomes(fates)) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
  return counts;
}

test.each<[string, (items: ReturnType<typeof contacts>) => ReturnType<typeof contacts>]>([
  ['removed', (items) => items.toSpliced(50, 1)],
  ['added in front', (items) => [another, ...items]],
  ['added at the end', (items) => [...items, another]],
  ['corrected', (items) => items.toSpliced(250, 1, another)],
  ['left as it was', (items) => items],
])('Of 500 rows, killed in the third request, a row %s makes only its neighbors uncertain', async (_how, edit) => {
  const killed = start({ items: contacts(500), parameters: oneByOne(SEND_BULK) });
  await killed.run(inFlight(3));
  const items = edit(contacts(500));
  const { uncertain = 0, sent = 0 } = await ends(killed, { items });
  expect(sent + uncertain).toBe(items.length);
  expect(uncertain).toBeGreaterThanOrEqual(99);
  // The request in flight, the rest of its first and last page, and the page of the row with the one behind it.
  expect(uncertain).toBeLessThanOrEqual(100 + 2 * 3 + 2 * 4);
});

test('Of 5,000 rows, a twentieth of which is kept back, none is uncertain if n8n is killed after all were confirmed', async () => {
  const optedOut = contacts(5_000).flatMap(({ phone }, index) => (index % 20 === 7 ? [phone] : []));
  const parameters = withOptions(SEND_BULK, { neverSendTo: optedOut.join('\n') });
  const killed = start({ items: contacts(5_000), parameters });
  await killed.runAndForget('kept');
  expect(await ends(killed)).toEqual({ sent: 4_750, skipped: 250 });
  expect(received()).toHaveLength(4_750);
});

test("Of 300 rows, ten of which can't be sent, none is uncertain if n8n is killed after all others were confirmed", async () => {
  const some = contacts(300).map((contact, index) => (index % 30 === 7 ? { ...contact, phone: 'abc' } : contact));
  const killed = start({ items: some, parameters: SEND_BULK, onError: CONTINUE });
  await killed.runAndForget('kept');
  expect(await ends(killed)).toEqual({ sent: 290, not_sent: 10 });
});

test.each([
  ['confirmed', 1, 210],
  ['refused again', 2, 90],
])('What an earlier attempt has sent stays certain after a kill once the rest is %s', async (_how, times, unknown) => {
  const some = phones(...Array.from({ length: 10 }, (_, index) => index * 10));
  sandbox().setFaults([{ kind: 'unsent', phones: some, times }]);
  const killed = start({ items: contacts(300), parameters: oneByOne(SEND_BULK) });
  expect((await killed.run()).error).toBeDefined();
  await killed.runAndForget('kept');
  expect(await ends(killed)).toEqual({ sent: 300 });
  // What the execution contains keeps its ID.
  expect(killed.fates().filter(({ id }) => id === null)).toHaveLength(unknown);
});

test('A text that is changed after a kill is uncertain if its person, who gets several, may have got it as it was', async () => {
  const [ann, ben] = phones(0, 1);
  const list = (first: string) => [
    { phone: ann, text: first },
    { phone: ann, text: 'Bye' },
    { phone: ben, text: 'Hello' },
  ];
  const killed = start({ items: list('Hello'), parameters: inBatchesOf(1, oneByOne(SEND_BULK)) });
  await killed.run(inFlight(1));
  const ran = await killed.run({ changes: { items: list('Hello, Ann'), onError: CONTINUE } });
  expect(outcomesOf(ran)).toEqual(['uncertain', 'sent', 'sent']);
  expect(received()).toEqual([ann, ann, ben]);
});

test('Of 5,000 rows, of which other executions have sent 4,750, those in flight are uncertain, and the rest of their pages', async () => {
  await start({ items: contacts(4_750), parameters: withOptions(SEND_BULK, ONCE) }).run();
  const parameters = withOptions(inBatchesOf(50, oneByOne(SEND_BULK)), ONCE);
  const killed = start({ items: contacts(5_000), parameters });
  await killed.run(inFlight(1));
  const { uncertain = 0, skipped, sent } = await ends(killed);
  expect(skipped).toBe(4_750);
  expect((sent ?? 0) + uncertain).toBe(250);
  expect(uncertain).toBeGreaterThanOrEqual(50);
  // A page of such a list has at most 64 messages.
  expect(uncertain).toBeLessThanOrEqual(50 + 2 * 64);
});

const singly = (parameters: INodeParameters) => inBatchesOf(1, oneByOne(parameters));

describe.each(SENDERS)('%s where the storage', (_name, given) => {
  const setup = { parameters: singly(given), items: contacts(5) };

  describe.each([
    ['refuses every write', () => true],
    ['refuses every write after the first ones', (number: number) => number > 4],
  ])('%s', (_what, refuses) => {
    test("sends no message that it can't note first, and a Retry sends them when it can", async () => {
      processedData.set({ refuses });
      const { outputs } = await start({ ...setup, onError: 'continueErrorOutput' }).run();
      const unsent = outputs.flat().filter((item) => outcomeOf(item) === 'not_sent');
      expect(unsent.map((item) => detailsOf(item).code)).toEqual(Array(5 - received().length).fill('NOT_RESERVED'));
      expect(received().length).toBeLessThan(5);

      const stopped = start(setup);
      sandbox().reset();
      await stopped.run();
      processedData.set({});
      expect(await stopped.finish()).toEqual(Array(5).fill(expect.objectContaining({ outcome: 'sent', arrivals: 1 })));
    });
  });

  test('is slow notes each request before it leaves', async () => {
    processedData.set({ delay: 20 });
    const lifetime = new Lifetime();
    await start(setup).run({ lifetime });
    const { moments } = lifetime;
    for (const [index, moment] of moments.entries()) {
      if (moment !== 'leaving') continue;
      const noted = moments.slice(0, index).filter((earlier) => earlier === 'written').length;
      const earlier = moments.slice(0, index).filter((each) => each === 'leaving').length;
      expect(noted).toBeGreaterThan(earlier);
    }
  });
});

test("What can't be sent anyway is not called uncertain where the storage refuses every write", async () => {
  processedData.set({ refuses: () => true });
  const some = [...contacts(2), { phone: 'abc', text: 'Hello' }];
  const ran = await run({ items: some, parameters: SEND, mode: 'trigger', onError: CONTINUE });
  expect(outcomesOf(ran)).toEqual(['not_sent', 'not_sent', 'not_sent']);
  expect(received()).toEqual([]);
});

test('A single message that was in flight at a kill is not sent by a Retry of the Retry that could not ask the storage', async () => {
  const killed = start({ parameters: SEND, items: contacts(1) });
  await killed.run(inFlight(1));
  processedData.set({ refuses: () => true });
  await killed.run();
  processedData.set({});
  expect(await killed.finish()).toEqual([expect.objectContaining({ outcome: 'uncertain', arrivals: 1 })]);
});

describe.each<[string, INodeParameters, Setup['items']]>([
  ['Send', singly(SEND), contacts(12)],
  ['Send Bulk', inBatchesOf(2, SEND_BULK), contacts(12)],
  ['Send Bulk from a JSON List', inBatchesOf(2, SEND_LIST), [{ list: listOf(12) }]],
])("What %s leaves in n8n's database", (_name, parameters, items) => {
  test('contains no phone number, text or key, and nothing that they alone determine', async () => {
    const written = async () => {
      processedData.calls = [];
      const killed = start({ parameters, items });
      await killed.run(inFlight(3));
      await killed.finish();
      return new Set(processedData.calls.flatMap((call) => call.values.map(String)));
    };
    const [values, again] = [await written(), await written()];
    expect(values.size).toBeGreaterThan(0);
    for (const value of values) {
      expect(value).toMatch(/^[A-Za-z0-9+/]{12,16}\??$/);
      expect(value).not.toContain(KEY);
    }
    // Whom it has sent what: hashed with the API key.
    const common = [...values].filter((value) => again.has(value)).map((value) => value.replace('?', ''));
    expect(new Set(common).size).toBeLessThanOrEqual(12);
  });

  test('is, an hour later, whom it has sent what', async () => {
    const lifetime = new Lifetime();
    await run({ parameters, items, mode: 'trigger', lifetime });
    const { length } = processedData.entries;
    const later = performance.now() + 3_600_000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
    await run({ parameters, items, mode: 'trigger', lifetime });
    clock.mockRestore();
    // The first run's notes are gone, and the second one has left as many.
    expect(processedData.entries).toHaveLength(length);
  });

  test('is, after a manual execution, whom it has sent what', async () => {
    await start({ parameters, items, mode: 'manual' }).run();
    expect(received()).toHaveLength(12);
    expect(processedData.entries).toHaveLength(12);
  });
});

test("The remains of killed executions can't grow forever: a run that ends alone shortens the list", async () => {
  const send = async () => await start({ parameters: singly(SEND), items: contacts(3) }).finish();
  await send();
  processedData.fill(Array.from({ length: 60_900 }, (_, index) => `other ${index}`));
  await send();
  expect(processedData.entries).toHaveLength(60_000);
});

test('A single message is sent without a word to the storage', async () => {
  await start({ parameters: SEND, items: contacts(1) }).finish();
  expect(received()).toEqual([phoneAt(0)]);
  expect(processedData.calls).toEqual([]);
});
