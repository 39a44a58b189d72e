import { pagesOf } from '../../nodes/MessagingSend/journal/crash/attempt';
import type { Row } from '../../nodes/MessagingSend/messages/row';
import { rowAt } from './samples';

const planned = (...changes: Array<Partial<Row>>) => pagesOf(changes.map((changed, index) => rowAt(index, changed)));

test('Two attempts have the same texts only if each text ends at the same point, and none has become a key', () => {
  const [ab, abc] = [planned({ text: 'ab' }, { text: 'c' }), planned({ text: 'a' }, { text: 'bc' })];
  expect(ab.contents).not.toBe(abc.contents);
  expect(planned({ text: 'key' }).contents).not.toBe(planned({ text: 'Hello', key: 'key' }).contents);
  expect(planned({ key: 'key 1' }).contents).not.toBe(planned({ key: 'key 2' }).contents);
});

test('A key stands for its text', () => {
  expect(planned({ key: 'key', text: 'at 1' }).contents).toBe(planned({ key: 'key', text: 'at 2' }).contents);
});

test('Messages count as different if the phone or the place of one has changed', () => {
  expect(planned({ text: 'Other' }).places).toBe(planned({}).places);
  expect(planned({ phone: rowAt(5).phone }).places).not.toBe(planned({}).places);
  expect(planned({ item: 5 }).places).not.toBe(planned({}).places);
  const [one, other] = [
    planned({ phone: '44770090006' }, { item: 164 }),
    planned({ phone: '447700900061' }, { item: 64 }),
  ];
  expect(one.places).not.toBe(other.places);
});
