/** How a rejected batch is halved until its offenders are found. */
import { OffenderSearch, type RequestPart } from '../../nodes/MessagingSend/delivery/rejections';
import type { Batch } from '../../nodes/MessagingSend/messages/message';
import { phoneAt } from '../support/contacts';
import { failureWith, messageAt, messagesUpTo, upTo } from './samples';

const WHY = failureWith({ code: 'VALIDATION_ERROR' });
const itemsOf = ({ messages }: Batch) => messages.map(({ item }) => item);

/** A search with a service that rejects every part with one of these items. */
function searchFor(offenders: readonly number[]) {
  const requested: number[][] = [];
  const rejected: number[][] = [];
  const search = new OffenderSearch((part) => rejected.push(itemsOf(part)));
  const request: RequestPart = async (part) => {
    requested.push(itemsOf(part));
    await Promise.resolve();
    if (itemsOf(part).some((item) => offenders.includes(item))) return { part, why: WHY };
    search.accepted();
    return null;
  };
  return { search, request, requested, rejected };
}

test('Both halves are requested before either is searched', async () => {
  const { search, request, requested, rejected } = searchFor([5]);
  await search.search({ part: { number: 1, messages: messagesUpTo(8) }, why: WHY }, request);
  expect(requested).toEqual([[0, 1, 2, 3], [4, 5, 6, 7], [4, 5], [6, 7], [4], [5]]);
  expect(rejected).toEqual([[5]]);
});

test('A half waits until the offenders before it are found if both have a number in common', async () => {
  const messages = upTo(4).map((item) => messageAt(item, item === 3 ? { phone: phoneAt(1) } : {}));
  const { search, request, requested, rejected } = searchFor([0]);
  await search.search({ part: { number: 1, messages }, why: WHY }, request);
  expect(requested).toEqual([[0, 1], [0], [1], [2, 3]]);
  expect(rejected).toEqual([[0]]);
});

test('After 20 rejections in a row, the rest is rejected without a request', async () => {
  const { search, request, requested, rejected } = searchFor(upTo(100));
  await search.search({ part: { number: 1, messages: messagesUpTo(100) }, why: WHY }, request);
  expect(requested.length).toBeLessThanOrEqual(21);
  expect(rejected.flat().sort((a, b) => a - b)).toEqual(upTo(100));
});

test('Only what was requested is searched further: other messages of a part have their outcome', async () => {
  const { search, request, requested, rejected } = searchFor([0]);
  const without1: RequestPart = async (part) =>
    await request({ ...part, messages: part.messages.filter(({ item }) => item !== 1) });
  await search.search({ part: { number: 1, messages: messagesUpTo(4) }, why: WHY }, without1);
  expect(requested).toEqual([[0], [2, 3]]);
  expect(rejected).toEqual([[0]]);
});

test('Batches are searched one after the other', async () => {
  const { search, request, requested } = searchFor([1, 3]);
  const [a, b] = [messagesUpTo(4).slice(0, 2), messagesUpTo(4).slice(2)];
  await Promise.all(
    [a, b].map(async (messages, index) => {
      await search.searchInTurn({ part: { number: index + 1, messages }, why: WHY }, request);
    }),
  );
  expect(requested).toEqual([[0], [1], [2], [3]]);
});
