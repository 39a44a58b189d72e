/** An n8n that does otherwise than `n8n/memory/assumptions.ts` says: nothing is sent twice, and a hint says what is lost. */
import { ExecuteContext, WorkflowExecute } from 'n8n-core';
import { ExpressionError, type IDeduplicationOutput, WorkflowDataProxy } from 'n8n-workflow';

import { Credentials } from '../../tools/engine/credentials';
import { inFlight } from '../../tools/engine/lifetime';
import { processedData } from '../../tools/engine/processedData';
import { KEY } from '../support/account';
import { contacts, phoneAt, phones } from '../support/contacts';
import { arrivals, outcomes } from '../support/engine/campaign';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Execution } from '../support/engine/workflow';
import { detailsOf, hintsOf, outcomesOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_BULK, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { accountOf } from '../support/sandbox';
import { once } from '../support/sendOnce';

const OTHER = 'made-up-other-key-0123';
const { sandbox, run, retry, setupOf, campaign, received: arrived } = nodeForTests({}, { keys: [KEY, OTHER] });
const received = () => arrived().sort();
const CONTINUE = 'continueRegularOutput';
const warnings = (execution: Execution) =>
  hintsOf(execution)
    .filter(({ type }) => type === 'warning')
    .map(({ message }) => message)
    .join(' ');
const everythingNew = ({ new: added, processed }: IDeduplicationOutput) => ({
  new: [...added, ...processed],
  processed: [],
});
const isRepeated = (count: number) => count > 1;

afterEach(() => jest.restoreAllMocks());

describe.each(SENDING_OPERATIONS)('%s', (_name, given) => {
  const parameters = inBatchesOf(1, oneByOne(given));
  const setup = { items: contacts(5), parameters };

  describe.each<[string, (answer: IDeduplicationOutput) => unknown]>([
    // It takes some seconds until this is no write that others have overwritten, so one of the operations is enough.
    ...(given === SEND_BULK
      ? [['answers that everything is new', everythingNew] as [string, typeof everythingNew]]
      : []),
    ['answers with nothing', () => ({ new: [], processed: [] })],
    ['has no answer', () => undefined],
  ])('where the list %s', (_what, answers) => {
    beforeEach(() => processedData.set({ answers }));

    test('sends, and its hint says that the run is not protected', async () => {
      const first = campaign(setup);
      expect(outcomes(await first.finish())).toEqual(Array(5).fill('sent'));
      expect(warnings(first.execution)).toContain('n8n does not return what was written to its list');
    });

    test.each(['kept', 'gone'] as const)(
      'sends nothing in a Retry after a kill with the event log %s, and reports all as uncertain',
      async (eventLog) => {
        const killed = campaign(setup);
        await killed.run({ ...inFlight(3), eventLog });
        const fates = await killed.finish();
        expect(outcomes(fates)).toEqual(Array(5).fill('uncertain'));
        expect(arrivals(fates)).toEqual([1, 1, 1, 0, 0]);
        expect(warnings(killed.execution)).toContain('this run was not protected');
      },
    );

    test('sends nothing twice in a Retry after a failure, and after a kill in that Retry', async () => {
      sandbox().setFaults([{ kind: 'status', status: 402, after: 2, times: 1 }]);
      const failed = campaign(setup);
      const first = await failed.run();
      expect(first.error).toBeDefined();
      await failed.run(inFlight(1));
      const again = await failed.run({ earlier: first, changes: { onError: CONTINUE } });
      expect(outcomesOf(again).sort()).toEqual(['sent', 'sent', 'uncertain', 'uncertain', 'uncertain']);
      expect(received()).toEqual(phones(0, 1));
    });

    test('sends nothing with Send Once, Also in Later Runs, and says why at each item', async () => {
      const ran = await run({ ...setup, mode: 'trigger', onError: CONTINUE, parameters: once(given) });
      expect(outcomesOf(ran)).toEqual(Array(5).fill('not_sent'));
      for (const item of ran.outputs[0] ?? []) {
        expect(detailsOf(item).code).toBe('NOT_RESERVED');
        expect(item.json.error).toContain('n8n does not return what was written to its list');
      }
      expect(received()).toEqual([]);
    });
  });

  test('lets nothing leave where the list answers that everything was there before', async () => {
    processedData.set({ answers: ({ new: added, processed }) => ({ new: [], processed: [...processed, ...added] }) });
    for (const own of [parameters, once(given)]) {
      const ran = await run({ ...setup, mode: 'trigger', onError: CONTINUE, parameters: own });
      expect(outcomesOf(ran)).not.toContain('sent');
    }
    expect(received()).toEqual([]);
  });

  describe('where n8n keeps nothing that the node stores with the execution', () => {
    beforeEach(() => jest.spyOn(ExecuteContext.prototype, 'getContext').mockImplementation(() => ({})));

    test.each(['manual', 'trigger'] as const)(
      'sends what is left with Retry On Fail, in mode %s, and says that a Retry does not know all',
      async (mode) => {
        sandbox().setFaults([{ kind: 'status', status: 402, after: 2, times: 1 }]);
        const ran = await run({ ...setup, mode, retryOnFail: { maxTries: 3 } });
        expect(ran.error).toBeUndefined();
        expect(outcomesOf(ran)).toEqual(Array(5).fill('sent'));
        expect(received()).toEqual(phones(0, 1, 2, 3, 4));
        expect(warnings(ran)).toContain('n8n did not keep what this node stored');
      },
    );

    test('sends no test twice with Retry On Fail', async () => {
      sandbox().setFaults([{ kind: 'status', status: 402, after: 1, times: 1 }]);
      const testRun = { values: { phone: phoneAt(9), count: 3 } };
      const tested = inBatchesOf(1, withOptions(given, { parallelRequests: 1, testRun }));
      await run({ ...setup, parameters: tested, retryOnFail: { maxTries: 3 } });
      expect(received()).toEqual(phones(9, 9, 9));
    });

    test.each(['manual', 'trigger'] as const)(
      'sends nothing twice in a Retry of an execution in mode %s',
      async (mode) => {
        sandbox().setFaults([{ kind: 'status', status: 402, after: 2, times: 1 }]);
        const failed = setupOf({ ...setup, mode });
        const ran = await run(failed);
        expect(ran.error).toBeDefined();
        const again = await retry(ran, failed, { onError: CONTINUE });
        expect(received().filter((phone) => phones(0, 1).includes(phone))).toEqual(phones(0, 1));
        expect(outcomesOf(again)).not.toContain('not_sent');
      },
    );
  });

  test.each([
    ['gives none', undefined, 'kept'],
    ['gives none', undefined, 'gone'],
    ['signs the address instead', 'a'.repeat(32), 'gone'],
  ] as const)(
    'where an execution has no token because n8n %s, says so, and sends nothing in a Retry after a kill',
    async (_how, token, eventLog) => {
      const killed = campaign({ ...setup, ...(token === undefined ? { withoutToken: true } : { token }) });
      await killed.run({ ...inFlight(3), eventLog });
      const fates = await killed.finish();
      expect(outcomes(fates)).toEqual(Array(5).fill('uncertain'));
      expect(arrivals(fates).filter(isRepeated)).toEqual([]);
      expect(warnings(killed.execution)).toContain('no token to recognise its retries by');
      expect(processedData.entries).toEqual([]);
    },
  );

  test('finds a kill after the node had ended by an item of n8n with another sign', async () => {
    const killed = campaign({ ...setup });
    await killed.runAndForget('kept');
    const [item] = killed.execution.run.data.resultData.runData.Send?.[0]?.data?.main?.[0] ?? [];
    expect(item?.json).toEqual({ isArtificialRecoveredEventItem: true });
    if (item !== undefined) item.json = { isRecovered: true };
    await killed.run({ changes: { onError: CONTINUE } });
    expect(received()).toEqual(phones(0, 1, 2, 3, 4));
  });

  test('sends nothing twice in a Retry where n8n uses the routing in a workflow', async () => {
    jest
      .spyOn(WorkflowExecute.prototype as unknown as { getCustomOperation: () => unknown }, 'getCustomOperation')
      .mockReturnValue(undefined);
    sandbox().setFaults([{ kind: 'status', status: 422, after: 2, times: 1 }]);
    const routed = setupOf(setup);
    const ran = await run(routed);
    expect(ran.error).toBeDefined();
    const before = received();
    const again = await retry(ran, routed);
    expect(again.error?.message).toContain('This n8n behaves differently');
    expect(received()).toEqual(before);
  });

  test('reads the parameters of each item where n8n gives no raw expressions', async () => {
    // Each context has a method of its own that calls this one.
    const engine = ExecuteContext.prototype as unknown as { _getNodeParameter: (...read: unknown[]) => unknown };
    const { _getNodeParameter: evaluate } = engine;
    jest.spyOn(engine, '_getNodeParameter').mockImplementation(function (this: unknown, name, item, fallback) {
      return evaluate.call(this, name, item, fallback);
    });
    const changed = { ...given, phone: '={{ $json.phone + "" }}', message: '={{ $json.text.trim() }}' };
    expect((await run({ items: contacts(3), parameters: changed })).error).toBeUndefined();
    expect(received()).toEqual(phones(0, 1, 2));
  });
});

/** Expressions see another `$rawParameter`. */
function rawParameters(give: () => unknown): void {
  // n8n's own method, which needs its object.
  const engine = WorkflowDataProxy.prototype as unknown as { getDataProxy: (...given: unknown[]) => object };
  const { getDataProxy: make } = engine;
  jest.spyOn(engine, 'getDataProxy').mockImplementation(function (this: unknown, ...given) {
    return new Proxy(make.apply(this, given), {
      get: (proxy, name): unknown => (name === '$rawParameter' ? give() : Reflect.get(proxy, name)),
    });
  });
}

describe.each<[string, () => unknown]>([
  ['are none', () => undefined],
  ['have no fields', () => ({})],
  ['are evaluated', () => ({ '&isFixed': true, '&baseUrl': 'https://api.example.com', '&apiKey': KEY })],
  [
    'throw',
    () => {
      throw new ExpressionError('there are none');
    },
  ],
])('Where the raw parameters of a credential %s,', (_what, give) => {
  beforeEach(() => rawParameters(give));

  test('each item is sent from the account that it has', async () => {
    const items = contacts(4).map((contact, index) => ({ ...contact, key: index % 2 === 0 ? KEY : OTHER }));
    const account = { ...accountOf(sandbox()), apiKey: '={{ $json.key }}' };
    expect((await run({ account, items, parameters: SEND_BULK })).error).toBeUndefined();
    const keys = sandbox()
      .messages()
      .map(({ key, phone }) => [phone, key])
      .sort();
    expect(keys).toEqual(contacts(4).map(({ phone }, index) => [phone, index % 2 === 0 ? 'key 1' : 'key 2']));
  });

  test('a credential without expressions is read for each item', async () => {
    let reads = 0;
    const ran = await run({ items: contacts(3), parameters: SEND, onCredentialRead: () => (reads += 1) });
    expect([ran.error, reads]).toEqual([undefined, 3]);
  });
});

describe('Where n8n has other words for an expression in a credential that fails,', () => {
  beforeEach(() => {
    const server = Credentials.prototype as unknown as { getDecrypted: (...given: unknown[]) => Promise<unknown> };
    const { getDecrypted: decrypt } = server;
    jest.spyOn(server, 'getDecrypted').mockImplementation(async function (this: unknown, ...given) {
      return await decrypt.apply(this, given).catch(() => Promise.reject(new Error('no such node')));
    });
  });

  test('it concerns the items alone for which it fails', async () => {
    const account = {
      ...accountOf(sandbox()),
      apiKey: `={{ $itemIndex < 2 ? $("No such node").first().json.key : "${OTHER}" }}`,
    };
    const ran = await run({ account, items: contacts(4), parameters: SEND_BULK, onError: CONTINUE });
    expect(outcomesOf(ran)).toEqual(['not_sent', 'not_sent', 'sent', 'sent']);
  });

  test('it concerns all items where it fails for many, without a reading for each', async () => {
    let reads = 0;
    const account = { ...accountOf(sandbox()), apiKey: '={{ $("No such node").first().json.key }}' };
    const onCredentialRead = () => (reads += 1);
    const ran = await run({
      account,
      items: contacts(120),
      parameters: SEND_BULK,
      onError: CONTINUE,
      onCredentialRead,
    });
    expect(new Set(outcomesOf(ran))).toEqual(new Set(['not_sent']));
    expect(reads).toBe(50);
  });
});
