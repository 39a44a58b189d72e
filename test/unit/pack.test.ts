import { pack } from '../../nodes/MessagingSend/delivery/batches';
import { seededRandom } from '../../tools/random';
import { messageAt, messagesUpTo } from './samples';

test.each([
  [2, [3], [1]],
  [4, [1, 2, 2, 1], [2, 2]],
  [4, [3, 1, 5, 1], [2, 1, 1]],
])('All parts of a text are in one request: by %i, texts of %j parts make batches of %j', (size, parts, sizes) => {
  const messages = parts.map((count, index) => messageAt(index, { parts: Array<string>(count).fill('Part') }));
  expect(pack(messages, size).map((batch) => batch.messages.length)).toEqual(sizes);
});

test('Batches of a re-run are numbered from where the first run ended', () => {
  expect(pack(messagesUpTo(3), 2, 7).map(({ number }) => number)).toEqual([8, 9]);
});

test('Packing keeps every message once and in order, whatever the sizes', () => {
  const seed = Date.now();
  const random = seededRandom(seed);
  for (let run = 0; run < 200; run++) {
    const messages = messagesUpTo(Math.floor(random() * 400));
    const size = 1 + Math.floor(random() * 100);
    const packed = pack(messages, size);
    const same = packed.flatMap((batch) => batch.messages).every((message, index) => message === messages[index]);
    const total = packed.reduce((sum, batch) => sum + batch.messages.length, 0);
    const fits = packed.every((batch) => batch.messages.length > 0 && batch.messages.length <= size);
    expect({ seed, size, same, total, fits }).toEqual({ seed, size, same: true, total: messages.length, fits: true });
  }
});
