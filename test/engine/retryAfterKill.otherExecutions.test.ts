/** Executions must not be taken for one another when n8n was killed during one of them. */
import { inFlight, killedAtNth } from '../../tools/engine/lifetime';
import { processedData } from '../../tools/engine/processedData';
import { contacts, phones } from '../support/contacts';
import { outcomes } from '../support/engine/campaign';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Setup } from '../support/engine/workflow';
import { inBatchesOf, oneByOne, SENDING_OPERATIONS } from '../support/parameters';

const { sandbox, campaign, received } = nodeForTests();

describe.each(SENDING_OPERATIONS)('%s', (_name, given) => {
  const start = (changes: Partial<Setup> = {}) =>
    campaign({ items: contacts(8), parameters: inBatchesOf(1, oneByOne(given)), ...changes });
  const allButFrom = (index: number) => contacts(8).map((_contact, place) => (place === index ? 'uncertain' : 'sent'));

  describe('with the same list every day', () => {
    test('is not held up by an older execution that was killed and never retried', async () => {
      await start().run(inFlight(5));
      expect(outcomes(await start().finish())).toEqual(Array(8).fill('sent'));
      expect(received()).toHaveLength(5 + 8);
    });

    test('takes nothing that an older execution has sent for its own, when both are killed and retried', async () => {
      const monday = start();
      await monday.run(inFlight(5));
      expect(received()).toHaveLength(5);
      sandbox().reset();
      const tuesday = start();
      await tuesday.run(inFlight(3));
      expect(outcomes(await tuesday.finish())).toEqual(allButFrom(2));
      expect(received()).toHaveLength(8);
      sandbox().reset();
      expect(outcomes(await monday.finish())).toEqual(allButFrom(4));
      expect(received().sort()).toEqual(phones(5, 6, 7));
    });
  });

  describe('that never got to send is not mistaken for a later one with the same items:', () => {
    test('where an earlier node failed', async () => {
      const monday = start({ startFails: true });
      await monday.run();
      await start().finish();
      expect(received()).toHaveLength(8);
      const fates = await monday.finish({ startFails: false });
      expect(fates.map(({ outcome, arrivals }) => [outcome, arrivals])).toEqual(Array(8).fill(['sent', 2]));
    });
  });

  test('two executions for the same recipients at once do not speak for each other', async () => {
    for (let request = 1; request <= 10; request += 1) {
      sandbox().reset();
      processedData.reset();
      const lifetime = killedAtNth('left', request, 2);
      const both = ['first', 'second'].map((text) => ({
        text,
        own: start({ items: contacts(6).map(({ phone }) => ({ phone, text })) }),
      }));
      await Promise.all(both.map(async ({ own }) => await own.run({ lifetime })));
      const wrong: string[] = [];
      for (const { text, own } of both) {
        for (const { phone, outcome } of await own.finish()) {
          const arrived = sandbox().messages();
          const times = arrived.filter((sent) => sent.phone === phone && sent.message === text).length;
          const isTrue = outcome === 'uncertain' ? times <= 1 : times === (outcome === 'sent' ? 1 : 0);
          if (!isTrue) wrong.push(`${text} ${phone} ${String(outcome)} ${times}×`);
        }
      }
      expect(wrong).toEqual([]);
      expect(received().length).toBeGreaterThanOrEqual(11);
    }
  });
});
