import { MAX_BATCH_SIZE } from '../../nodes/MessagingSend/api/endpoints';
import { pack } from '../../nodes/MessagingSend/delivery/pack';
import { messagesUpTo, seededRandom } from './samples';

test('takes at most 100 messages with one request, as the service allows', () => {
  expect(MAX_BATCH_SIZE).toBe(100);
});

test.each([
  [0, 100, []],
  [1, 100, [1]],
  [99, 100, [99]],
  [100, 100, [100]],
  [101, 100, [100, 1]],
  [250, 100, [100, 100, 50]],
  [3, 1, [1, 1, 1]],
])('%i messages by %i go out as %j', (count, size, sizes) => {
  expect(pack(messagesUpTo(count), size).map(({ messages }) => messages.length)).toEqual(sizes);
});

test('numbers the batches from 1', () => {
  expect(pack(messagesUpTo(5), 2).map(({ number }) => number)).toEqual([1, 2, 3]);
});

test('numbers the batches of a re-run from where the first run ended', () => {
  expect(pack(messagesUpTo(3), 2, 7).map(({ number }) => number)).toEqual([8, 9]);
});

test('keeps every message once and in order, whatever the sizes', () => {
  const seed = Date.now();
  const random = seededRandom(seed);
  for (let run = 0; run < 200; run++) {
    const messages = messagesUpTo(Math.floor(random() * 400));
    const size = 1 + Math.floor(random() * 100);
    const packed = pack(messages, size);
    const same = packed.flatMap((batch) => batch.messages).every((message, index) => message === messages[index]);
    const total = packed.reduce((sum, batch) => sum + batch.messages.length, 0);
    const fits = packed.every((batch) => batch.messages.length > 0 && batch.messages.length <= size);
    if (!same || total !== messages.length || !fits) throw new Error(`seed ${seed}: ${messages.length} by ${size}`);
  }
});
