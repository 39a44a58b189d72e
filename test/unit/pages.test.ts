import { digestsOf, pagesOf } from '../../nodes/MessagingSend/journal/crash/attempt';
import type { Row } from '../../nodes/MessagingSend/messages/row';
import { noPause, rowAt } from './samples';

const planned = async (...changes: Array<Partial<Row>>) =>
  await digestsOf(pagesOf(changes.map((changed, index) => rowAt(index, changed))), noPause);

/** Whether two attempts have this in common. */
async function same(what: 'places' | 'contents', one: Array<Partial<Row>>, other: Array<Partial<Row>>) {
  return (await planned(...one))[what] === (await planned(...other))[what];
}

test('Two attempts have the same texts only if each text ends at the same point, and none has become a key', async () => {
  expect(await same('contents', [{ text: 'ab' }, { text: 'c' }], [{ text: 'a' }, { text: 'bc' }])).toBe(false);
  expect(await same('contents', [{ text: 'key' }], [{ text: 'Hello', key: 'key' }])).toBe(false);
  expect(await same('contents', [{ key: 'key 1' }], [{ key: 'key 2' }])).toBe(false);
});

test('A key stands for its text', async () => {
  expect(await same('contents', [{ key: 'key', text: 'at 1' }], [{ key: 'key', text: 'at 2' }])).toBe(true);
});

test('Messages count as different if the phone or the place of one has changed', async () => {
  expect(await same('places', [{ text: 'Other' }], [{}])).toBe(true);
  expect(await same('places', [{ phone: rowAt(5).phone }], [{}])).toBe(false);
  expect(await same('places', [{ item: 5 }], [{}])).toBe(false);
  const [one, other] = [
    [{ phone: '44770090006' }, { item: 164 }],
    [{ phone: '447700900061' }, { item: 64 }],
  ] as const;
  expect(await same('places', [...one], [...other])).toBe(false);
});
