/** What a Retry does after n8n was killed in a campaign. `everyKill.test.ts` kills it at every moment. */
import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../sandbox/server';
import { contacts, listOf, phoneAt } from '../support/contacts';
import { Campaign, type Fate } from '../support/engine/campaign';
import { killedAtNth, Lifetime } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import type { Setup } from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

const oneByOne = (parameters: INodeParameters) => withOptions(parameters, { parallelRequests: 1 });
const items = (count: number) => ({ items: contacts(count) });
const list = (count: number) => ({ items: [{ list: listOf(count) }] });

type Kind = [string, { parameters: INodeParameters; of: (count: number) => Pick<Setup, 'items'> }];

/** With one message in each request. */
const SINGLES: Kind[] = [
  ['Send', { parameters: oneByOne(SEND), of: items }],
  ['Send Bulk', { parameters: inBatchesOf(1, oneByOne(SEND_BULK)), of: items }],
  ['Send Bulk from a JSON List', { parameters: inBatchesOf(1, oneByOne(SEND_LIST)), of: list }],
];

const start = (setup: Omit<Setup, 'account' | 'mode'>) =>
  new Campaign(sandbox(), { account: accountOf(sandbox()), mode: 'trigger', ...setup });
const outcomes = (fates: readonly Fate[]) => fates.map(({ outcome }) => outcome);
const arrivals = (fates: readonly Fate[]) => fates.map(({ arrivals: count }) => count);
/** Killed with the answers of all requests before this one noted, and this one in flight. */
const inFlight = (request: number) => ({ lifetime: killedAtNth('left', request) });

describe('A campaign that n8n was killed in', () => {
  describe.each(SINGLES)('after n8n was killed in the third of five requests of %s', (_name, { parameters, of }) => {
    const killed = async (changes: Partial<Setup> = {}) => {
      const campaign = start({ parameters, ...of(5), ...changes });
      await campaign.run(inFlight(3));
      return campaign;
    };

    test('a Retry reports the first two as sent and the third as uncertain, and sends the rest', async () => {
      const campaign = await killed({ onError: 'continueErrorOutput' });
      const fates = await campaign.finish();
      expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent']);
      expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1]);
      expect(fates.map(({ id }) => id)).toEqual([null, null, undefined, 1004, 1005]);
      const [uncertain] = campaign.execution.outputs[1] ?? [];
      expect(detailsOf(uncertain)).toMatchObject({ code: 'INTERRUPTED', phone: phoneAt(2) });
    });

    test('a Retry with On Error: Stop sends the rest, and ends with an error about the third', async () => {
      const campaign = await killed();
      const { error } = await campaign.run();
      expect(error?.message).toContain("n8n stopped during an earlier attempt, so this message's outcome is unknown");
      expect(error?.context.itemIndex).toBe(parameters.source === 'json' ? 0 : 2);
      expect(receivedPhones(sandbox())).toEqual(contacts(5).map(({ phone }) => phone));
      expect(outcomes(await campaign.finish())).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent']);
      expect(receivedPhones(sandbox())).toHaveLength(5);
    });

    test('a Retry without the event log sends the rest, too', async () => {
      const campaign = start({ parameters, ...of(5) });
      await campaign.run({ ...inFlight(3), eventLog: 'gone' });
      const fates = await campaign.finish();
      expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent']);
      expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1]);
    });

    test('a Retry that is killed as well, and the next one, leave only what was in flight uncertain', async () => {
      const campaign = await killed();
      // The fourth message, then the fifth.
      await campaign.run(inFlight(1));
      await campaign.run(inFlight(1));
      const fates = await campaign.finish();
      expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'uncertain', 'uncertain']);
      expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1]);
    });

    test('a Retry of the killed execution after a Retry has sent the rest sends nothing', async () => {
      const campaign = await killed();
      const older = campaign.execution;
      await campaign.finish();
      await campaign.run({ earlier: older });
      const fates = await campaign.finish();
      expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent']);
      expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1]);
    });

    test('a Retry with Send Again sends the third again', async () => {
      const campaign = await killed();
      const changed = withOptions(parameters, { parallelRequests: 1, uncertain: 'sendAgain' });
      const fates = await campaign.finish({ parameters: changed });
      expect(outcomes(fates)).toEqual(['sent', 'sent', 'sent', 'sent', 'sent']);
      expect(arrivals(fates)).toEqual([1, 1, 2, 1, 1]);
    });

    test('the second attempt of a Retry sends what the service refused in the first', async () => {
      const campaign = await killed({ retryOnFail: { maxTries: 2 } });
      sandbox().setFaults([{ kind: 'status', status: 403, phones: [phoneAt(3)], times: 1 }]);
      const fates = await campaign.finish();
      expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent']);
      expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1]);
    });

    test('a Retry that can not read its credential in the first attempt goes on in the second', async () => {
      const campaign = await killed({ retryOnFail: { maxTries: 2 } });
      let failures = 1;
      const onCredentialRead = () => {
        if (failures-- > 0) throw new Error('The vault is sealed');
      };
      const fates = await campaign.finish({ onCredentialRead });
      expect(failures).toBeLessThan(0);
      expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent']);
      expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1]);
    });

    test('what a Retry sends in its second attempt is not sent again after another kill', async () => {
      const campaign = await killed({ retryOnFail: { maxTries: 2 } });
      sandbox().setFaults([{ kind: 'status', status: 403, phones: [phoneAt(3)], times: 1 }]);
      // The refused fourth message, the same again, and the fifth.
      await campaign.run(inFlight(3));
      const fates = await campaign.finish();
      expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'uncertain']);
      expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1]);
    });

    test.each([
      ['Send Again, refused once more,', true],
      ['Report', false],
    ])('what was in flight stays uncertain if Send Again is refused, and then with %s', async (_option, isAgain) => {
      const campaign = await killed();
      sandbox().setFaults([{ kind: 'status', status: 403, phones: [phoneAt(2)], times: 99 }]);
      const sendAgain = withOptions(parameters, { parallelRequests: 1, uncertain: 'sendAgain' });
      await campaign.run({ changes: { parameters: sendAgain } });
      if (!isAgain) sandbox().setFaults([]);
      const changes = { parameters: isAgain ? sendAgain : parameters, onError: 'continueRegularOutput' } as const;
      expect(outcomes(await campaign.finish(changes))).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent']);
      expect(receivedPhones(sandbox())).toHaveLength(5);
    });

    test('a Retry with other items than before sends nothing', async () => {
      const campaign = await killed();
      const others = of(6).items;
      const changed = parameters.source === 'json' ? others : others.slice(1);
      const fates = await campaign.finish({ items: changed });
      expect(new Set(outcomes(fates))).toEqual(new Set(['uncertain']));
      expect(receivedPhones(sandbox())).toHaveLength(3);
    });
  });

  test('the second attempt of a Retry is as the first one', async () => {
    const [first, ...others] = contacts(5);
    // n8n repeats the node because its first item has failed.
    const campaign = start({
      parameters: oneByOne(SEND),
      items: [{ ...first, phone: '12' }, ...others],
      onError: 'continueRegularOutput',
      retryOnFail: { maxTries: 2 },
    });
    await campaign.run(inFlight(3));
    const fates = await campaign.finish({ parameters: oneByOne(SEND) });
    expect(outcomes(fates)).toEqual(['not_sent', 'sent', 'sent', 'uncertain', 'sent']);
    expect(arrivals(fates)).toEqual([0, 1, 1, 1, 1]);
  });

  test.each(SINGLES)('what %s sends with the time in its texts is recognized', async (_name, { parameters, of }) => {
    const timed =
      parameters.source === 'json'
        ? { messages: '={{ $json.list.map((one) => ({ ...one, message: one.message + $now.toMillis() })) }}' }
        : { message: '={{ $json.text + $now.toMillis() }}' };
    const campaign = start({ parameters: { ...parameters, ...timed }, ...of(4) });
    await campaign.run(inFlight(2));
    const fates = await campaign.finish();
    expect(outcomes(fates)).toEqual(['sent', 'uncertain', 'sent', 'sent']);
    expect(arrivals(fates)).toEqual([1, 1, 1, 1]);
  });

  test.each(SINGLES)('a Retry after n8n was killed behind %s sends nothing', async (_name, { parameters, of }) => {
    for (const eventLog of ['kept', 'gone'] as const) {
      sandbox().reset();
      processedData.reset();
      const campaign = start({ parameters, ...of(4) });
      await campaign.runAndForget(eventLog);
      const fates = await campaign.finish();
      expect(outcomes(fates)).toEqual(Array(4).fill('sent'));
      expect(arrivals(fates)).toEqual([1, 1, 1, 1]);
    }
  });

  test('a Retry after n8n was killed behind a node that had run twice, at last with a single message, sends nothing', async () => {
    const campaign = start({ parameters: SEND, ...items(3), moreItems: [contacts(4).slice(3)] });
    await campaign.runAndForget('kept');
    const fates = await campaign.finish();
    expect(outcomes(fates)).toEqual(Array(4).fill('sent'));
    expect(arrivals(fates)).toEqual([1, 1, 1, 1]);
  });

  test('a Retry after an earlier node failed sends everything', async () => {
    const campaign = start({ parameters: SEND, ...items(4), startFails: true });
    await campaign.run();
    expect(campaign.execution.error?.message).toContain('out of reach');
    const fates = await campaign.finish({ startFails: false });
    expect(outcomes(fates)).toEqual(['sent', 'sent', 'sent', 'sent']);
    expect(arrivals(fates)).toEqual([1, 1, 1, 1]);
  });

  test('a Retry of a campaign that was killed before its first request sends everything', async () => {
    const campaign = start({ parameters: SEND, ...items(4) });
    await campaign.run({ lifetime: killedAtNth('ended', 1) });
    expect(outcomes(await campaign.finish())).toEqual(['sent', 'sent', 'sent', 'sent']);
    expect(receivedPhones(sandbox())).toHaveLength(4);
  });

  test('after n8n was killed in the second attempt of Retry On Fail nothing is lost or sent twice', async () => {
    sandbox().setFaults([{ kind: 'status', status: 403, phones: [phoneAt(2)], times: 1 }]);
    const campaign = start({ parameters: oneByOne(SEND), ...items(5), retryOnFail: { maxTries: 2 } });
    // Three requests in the first attempt, of which the third is refused.
    await campaign.run(inFlight(5));
    expect(receivedPhones(sandbox())).toHaveLength(4);
    const fates = await campaign.finish();
    expect(outcomes(fates).slice(0, 2)).toEqual(['sent', 'sent']);
    for (const { outcome, arrivals: count } of fates) {
      expect(count).toBeLessThanOrEqual(1);
      expect(outcome === 'uncertain' || count === 1).toBe(true);
    }
  });
});

test('Where n8n gives executions no token, a Retry after a kill sends nothing twice', async () => {
  for (const eventLog of ['kept', 'gone'] as const) {
    sandbox().reset();
    const campaign = start({ parameters: oneByOne(SEND), ...items(4), withoutToken: true });
    await campaign.run({ ...inFlight(2), eventLog });
    expect(new Set(outcomes(await campaign.finish()))).toEqual(new Set(['uncertain']));
    expect(receivedPhones(sandbox())).toHaveLength(2);
    expect(processedData.entries).toEqual([]);
  }
});

describe('A loop during which n8n was killed', () => {
  test.each([
    ['with saved progress', { saveExecutionProgress: true }],
    ['without saved progress', {}],
  ])('goes on %s where it was', async (_how, settings) => {
    const campaign = start({ parameters: oneByOne(SEND), ...items(6), loopOver: 2, settings });
    await campaign.run(inFlight(4));
    const fates = await campaign.finish();
    expect(outcomes(fates)).toEqual(['sent', 'sent', 'sent', 'uncertain', 'sent', 'sent']);
    expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('goes on where it was with one request in each iteration', async () => {
    const campaign = start({ parameters: SEND_BULK, ...items(8), loopOver: 2, onError: 'continueRegularOutput' });
    await campaign.run(inFlight(3));
    const fates = await campaign.finish();
    expect(outcomes(fates)).toEqual(['sent', 'sent', 'sent', 'sent', 'uncertain', 'uncertain', 'sent', 'sent']);
    expect(new Set(arrivals(fates))).toEqual(new Set([1]));
  });
});

describe('In a bulk request', () => {
  const pairs = inBatchesOf(2, oneByOne(SEND_BULK));

  test('of which one message was refused, only that one is sent again after a kill later in the run', async () => {
    sandbox().setFaults([{ kind: 'unsent', phones: [phoneAt(1)], times: 1 }]);
    const campaign = start({ parameters: pairs, ...items(6), onError: 'continueRegularOutput' });
    await campaign.run(inFlight(3));
    const fates = await campaign.finish();
    expect(outcomes(fates)).toEqual(['sent', 'sent', 'sent', 'sent', 'uncertain', 'uncertain']);
    expect(arrivals(fates)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('of which one message is refused each time, that one comes out as not sent after a kill', async () => {
    sandbox().setFaults([{ kind: 'unsent', phones: [phoneAt(1)], probability: 1 }]);
    const campaign = start({ parameters: pairs, ...items(6), onError: 'continueRegularOutput' });
    await campaign.run(inFlight(3));
    expect(outcomes(await campaign.finish())).toEqual(['sent', 'not_sent', 'sent', 'sent', 'uncertain', 'uncertain']);
    expect(receivedPhones(sandbox())).toHaveLength(5);
  });

  test('that is searched for the offender by halving when n8n is killed, nothing is lost or sent twice', async () => {
    const phones = [phoneAt(2)];
    const refusal: Fault = { kind: 'status', status: 422, detailsShape: 'none', phones, probability: 1 };
    const setup = {
      parameters: inBatchesOf(8, oneByOne(SEND_BULK)),
      ...items(16),
      onError: 'continueRegularOutput',
    } as const;
    sandbox().setFaults([refusal]);
    const whole = start(setup);
    const lifetime = new Lifetime();
    await whole.run({ lifetime });
    for (let request = 1; request <= lifetime.requests; request += 1) {
      sandbox().reset();
      sandbox().setFaults([refusal]);
      processedData.reset();
      const campaign = start(setup);
      await campaign.run(inFlight(request));
      const fates = await campaign.finish();
      expect(fates).toHaveLength(16);
      const wrong = fates.filter(({ outcome, arrivals: count }) => {
        if (outcome === 'uncertain') return count > 1;
        return count !== (outcome === 'sent' ? 1 : 0);
      });
      expect(wrong).toEqual([]);
      expect(fates.filter(({ outcome }) => outcome === 'not_sent').length).toBeLessThanOrEqual(1);
    }
  });
});

test('A request that was refused for a limit when n8n was killed is sent by the Retry', async () => {
  sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 30, after: 2, times: 1 }]);
  const parameters = withOptions(SEND, { parallelRequests: 1, longestWait: 5 });
  const campaign = start({ parameters, ...items(4) });
  // It is noted as refused while the node waits for the next attempt.
  await campaign.run({ lifetime: killedAfterRefusal() });
  expect(outcomes(await campaign.finish())).toEqual(['sent', 'sent', 'sent', 'sent']);
  expect(receivedPhones(sandbox())).toHaveLength(4);
});

/** n8n is killed at the second storage change after the third request. */
function killedAfterRefusal(): Lifetime {
  return new Lifetime((moments) => {
    const third = moments.flatMap((moment, index) => (moment === 'left' ? [index] : []))[2];
    return third !== undefined && moments.slice(third).includes('written');
  });
}
