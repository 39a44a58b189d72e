import { failure } from '../../nodes/MessagingSend/failures/failure';
import { type Page, pagesOf, usualLength } from '../../nodes/MessagingSend/messages/pages';
import { markSeveral, type Row } from '../../nodes/MessagingSend/messages/row';
import { phoneAt } from '../support/contacts';
import { noPause, rowAt } from './samples';

async function paged(rows: readonly Row[], length: number): Promise<readonly Page[]> {
  markSeveral(rows);
  return await pagesOf(rows, length, noPause);
}

test('Up to 250 messages have a page each, so that a kill makes only those in flight uncertain', () => {
  expect([250, 251, 500, 501].map(usualLength)).toEqual([1, 2, 2, 4]);
});

test('A list has fewer than 320 pages, none longer than twice the usual, and short names', async () => {
  for (const count of [1, 250, 251, 1_000, 5_000]) {
    const length = usualLength(count);
    const pages = await paged(
      Array.from({ length: count }, (_, index) => rowAt(index, { phone: `4477${1_000_000 + index * 7}` })),
      length,
    );
    expect(pages.flatMap(({ rows }) => rows)).toHaveLength(count);
    expect(pages.length).toBeLessThan(320);
    expect(Math.max(...pages.map(({ rows }) => rows.length))).toBeLessThanOrEqual(2 * length);
    expect(pages.every(({ name, rows }, at) => name.length < 50 && rows.every(({ page }) => page === at))).toBe(true);
  }
});

describe('A page has another name', () => {
  const nameOf = async (...rows: Row[]) => (await paged(rows, 1_024)).map(({ name }) => name).join();
  const defect = failure('textEmpty');

  test('if a person of it gets another message, or one more, or it has one that can no longer be sent', async () => {
    const names = await Promise.all([
      nameOf(rowAt(0), rowAt(1)),
      nameOf(rowAt(0)),
      nameOf(rowAt(0), rowAt(0)),
      nameOf(rowAt(0), rowAt(0, { text: 'Another' })),
      nameOf(rowAt(0, { person: '44770090000' }), rowAt(1, { person: '0447700900001' })),
      nameOf(rowAt(0, { defect, person: '' })),
      nameOf(rowAt(0, { defect })),
      nameOf(rowAt(0), rowAt(1, { defect, person: '', phoneGiven: 'another' })),
      nameOf(rowAt(0), rowAt(1, { defect, person: '' })),
    ]);
    expect(new Set(names).size).toBe(names.length);
  });

  test('if it has a gap, wherever it is', async () => {
    const gap = { text: 'Hello', empty: ['name'], phone: phoneAt(0) };
    const whole = { text: 'Hello', phone: phoneAt(0) };
    const names = async (...rows: Row[]) => (await paged(rows, 1)).map(({ name }) => name);
    const [first, second] = await names(rowAt(0, whole), rowAt(1, gap));
    expect(await names(rowAt(0, gap), rowAt(1, whole))).toEqual([second, first]);
  });

  test('not if its messages are at other places, or one whose person gets no other has another text or key', async () => {
    const name = await nameOf(rowAt(0), rowAt(1));
    expect(await nameOf(rowAt(0, { item: 7 }), rowAt(1, { entry: 3 }))).toBe(name);
    expect(await nameOf(rowAt(0, { text: 'At 10:01' }), rowAt(1, { key: 'order' }))).toBe(name);
    expect(await nameOf(rowAt(0, { phone: phoneAt(0), phoneGiven: `+${phoneAt(0)}` }), rowAt(1))).toBe(name);
  });
});
