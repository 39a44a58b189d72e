/** Executions must not be taken for one another when n8n was killed during one of them. */
import { contacts, phoneAt } from '../support/contacts';
import { Campaign, outcomes } from '../support/engine/campaign';
import { inFlight, killedAtNth } from '../support/engine/lifetime';
import { processedData } from '../support/engine/processedData';
import type { Setup } from '../support/engine/workflow';
import { inBatchesOf, SENDING_OPERATIONS, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, receivedTexts, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

describe.each(SENDING_OPERATIONS)('%s', (_name, given) => {
  const parameters = inBatchesOf(1, withOptions(given, { parallelRequests: 1 }));
  const start = (changes: Partial<Setup> = {}) =>
    new Campaign(sandbox(), {
      account: accountOf(sandbox()),
      mode: 'trigger',
      items: contacts(8),
      parameters,
      ...changes,
    });

  describe('with the same list every day', () => {
    test('is not held up by an older execution that was killed and never retried', async () => {
      const monday = start();
      await monday.run(inFlight(5));
      const tuesday = start();
      expect(outcomes(await tuesday.finish())).toEqual(Array(8).fill('sent'));
      expect(receivedPhones(sandbox())).toHaveLength(5 + 8);
    });

    test('takes nothing that an older execution has sent for its own, when both are killed and retried', async () => {
      const monday = start();
      await monday.run(inFlight(5));
      expect(receivedPhones(sandbox())).toHaveLength(5);
      sandbox().reset();
      const tuesday = start();
      await tuesday.run(inFlight(3));
      const fates = await tuesday.finish();
      expect(outcomes(fates)).toEqual(['sent', 'sent', 'uncertain', 'sent', 'sent', 'sent', 'sent', 'sent']);
      expect(receivedPhones(sandbox())).toHaveLength(8);
      sandbox().reset();
      const older = new Campaign(sandbox(), monday.setup);
      await older.run({ earlier: monday.execution });
      expect(outcomes(await older.finish())).toEqual([
        'sent',
        'sent',
        'sent',
        'sent',
        'uncertain',
        'sent',
        'sent',
        'sent',
      ]);
      expect(receivedPhones(sandbox()).sort()).toEqual([phoneAt(5), phoneAt(6), phoneAt(7)]);
    });

    test('sends all of it again the next day after a day on which all was well', async () => {
      await start().finish();
      await start().finish();
      expect(receivedPhones(sandbox())).toHaveLength(16);
    });
  });

  describe('that never got to send is not mistaken for a later one with the same items:', () => {
    test('where an earlier node failed', async () => {
      const monday = start({ startFails: true });
      await monday.run();
      await start().finish();
      const { length } = receivedPhones(sandbox());
      expect(length).toBe(8);
      for (const { outcome, arrivals } of await monday.finish({ startFails: false })) {
        expect(outcome === 'uncertain' || arrivals === 2).toBe(true);
      }
    });

    test('where a loop was killed in an earlier round', async () => {
      const loop = { loopOver: 2, onError: 'continueRegularOutput' } as const;
      const monday = start(loop);
      await monday.run(inFlight(4));
      await start(loop).finish();
      expect(receivedPhones(sandbox())).toHaveLength(4 + 8);
      for (const { phone, outcome, arrivals } of await monday.finish()) {
        expect(outcome === 'uncertain' || `${phone} ${arrivals}` === `${phone} 2`).toBe(true);
      }
    });
  });

  test('two executions for the same recipients at once do not speak for each other', async () => {
    const order = (text: string) => contacts(6).map(({ phone }) => ({ phone, text }));
    for (let request = 1; request <= 10; request += 1) {
      sandbox().reset();
      processedData.reset();
      const lifetime = killedAtNth('left', request, 2);
      const [first, second] = [start({ items: order('first') }), start({ items: order('second') })];
      await Promise.all([first.run({ lifetime }), second.run({ lifetime })]);
      const lost: string[] = [];
      for (const [text, campaign] of [
        ['first', first],
        ['second', second],
      ] as const) {
        for (const { phone, outcome } of await campaign.finish()) {
          const times = sandbox()
            .messages()
            .filter((sent) => sent.phone === phone && sent.message === text).length;
          if (times > 1 || (outcome === 'sent') !== (times === 1)) {
            if (outcome !== 'uncertain' || times > 1) lost.push(`${text} ${phone} ${String(outcome)} ${times}×`);
          }
        }
      }
      expect(lost).toEqual([]);
      expect(receivedTexts(sandbox()).length).toBeGreaterThanOrEqual(11);
    }
  });

  test('two executions that began with the very same items at the same moment lose nothing and send nothing twice', async () => {
    {
      for (let request = 1; request <= 8; request += 2) {
        sandbox().reset();
        processedData.reset();
        const lifetime = killedAtNth('left', request);
        const both = [start({ items: contacts(4) }), start({ items: contacts(4) })];
        await Promise.all(both.map(async (campaign) => await campaign.run({ lifetime })));
        const reported = new Map<string, { sent: number; uncertain: number }>();
        for (const campaign of both) {
          for (const { phone, outcome } of await campaign.finish()) {
            const known = reported.get(phone) ?? { sent: 0, uncertain: 0 };
            reported.set(phone, known);
            if (outcome === 'sent') known.sent += 1;
            if (outcome === 'uncertain') known.uncertain += 1;
          }
        }
        for (const [phone, { sent, uncertain }] of reported) {
          const times = receivedPhones(sandbox()).filter((own) => own === phone).length;
          expect(times).toBeGreaterThanOrEqual(sent);
          expect(times).toBeLessThanOrEqual(sent + uncertain);
          expect(sent + uncertain).toBe(2);
        }
      }
    }
  });
});
