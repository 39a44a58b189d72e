import { type INode, NodeApiError } from 'n8n-workflow';

import { SEND, SEND_BULK } from '../../nodes/MessagingSend/delivery/operation';
import { type Failure, failure } from '../../nodes/MessagingSend/failures/failure';
import { failed, type Outcome, type Row } from '../../nodes/MessagingSend/messages/row';
import { outputItems } from '../../nodes/MessagingSend/n8n/output/outputItems';
import { runError } from '../../nodes/MessagingSend/n8n/output/reports';
import { summaryLines } from '../../nodes/MessagingSend/n8n/output/sentences';
import { summarize } from '../../nodes/MessagingSend/n8n/output/summary';
import { readDeliveryOptions } from '../../nodes/MessagingSend/resources/message/deliveryOptions';
import { phoneAt } from '../support/contacts';
import { failureWith, givenOptions, nodeOfType, ODD_VALUES, rowAt, rowsUpTo, SENT, upTo } from './samples';

const NODE = nodeOfType('messagingSend');
const TOOL = nodeOfType('n8n-nodes-messaging-send.messagingSendTool');
const OPTIONS = readDeliveryOptions(givenOptions({ duplicateMessages: 'send' }));
const CHECK_FIRST = 'The message may have been sent: ask the recipient before you send it again.';

const NUMBERED = '<br>Items are numbered from 0.';
const RETRY_FOR_REST =
  "To send only the rest, open the tab Executions, and choose 'Retry with currently saved workflow' on the newest one.";
const LISTED_IN_RETRY =
  'Retry would send nothing; with On Error set to Continue (using error output), it lists these items.';

interface Given {
  readonly node?: INode;
  readonly requests?: number;
  readonly options?: Parameters<typeof summarize>[1];
}

const errorOf = async (rows: readonly Row[], { node = NODE, requests = 1, options = OPTIONS }: Given = {}) =>
  runError(node, await summarize(rows, options, { requests, accounts: 1 }));

const UNCERTAIN: Outcome = { kind: 'uncertain', failure: failureWith({ httpStatus: null }) };
const notSent = (changed: Partial<Failure> = {}): Outcome => ({ kind: 'not_sent', failure: failureWith(changed) });
const NOT_STARTED = notSent({ code: 'NOT_STARTED', message: 'Another request stopped the run' });

/** Messages that were requested and ended like this, one for each item. */
const rowsOf = (...outcomes: Outcome[]): Row[] => outcomes.map((outcome, item) => rowAt(item, { batch: 1, outcome }));

/** The entries of one item, which were requested and ended like this. */
const list = (...outcomes: Outcome[]) => outcomes.map((outcome, entry) => rowAt(0, { entry, batch: 1, outcome }));
const times = <Value>(count: number, value: Value): Value[] => Array<Value>(count).fill(value);

function wrong(item: number, entry: number | null = null): Row {
  const defect = failureWith({ code: 'INVALID_PHONE', message: `Number of ${item} is wrong`, advice: 'Correct it.' });
  return rowAt(item, { entry, phone: '', phoneGiven: '0', defect, outcome: failed(defect) });
}

test("The error of a run is its first failure, with what was sent, what wasn't and why, and how to send the rest", async () => {
  const refused = notSent({ code: 'HTTP_400', message: 'The first', httpStatus: 400 });
  const error = await errorOf(rowsOf(SENT, NOT_STARTED, refused, SENT, UNCERTAIN, refused), { requests: 4 });
  expect(error).toBeInstanceOf(NodeApiError);
  expect(error).toMatchObject({
    message: 'The first',
    httpCode: '400',
    description: `2 sent, 3 not sent, 1 uncertain (may have been sent), 4 requests.<br>Do something. Don't run this step again: it would send the 2 sent and 1 uncertain messages again. ${RETRY_FOR_REST}<br>2 not sent: the first (items 2, 5).<br>1 may have been sent: it failed (item 4).<br>1 not sent: another request stopped the run (item 1).${NUMBERED}`,
    context: { itemIndex: 2 },
  });
});

const REASONS = `2 not sent: 'Base URL' is wrong (items 1, 2).<br>1 not sent: the key is wrong (item 0).${NUMBERED}`;
const WRONG_URL = notSent({ message: "'Base URL' is wrong" });
const EMPTY = upTo(7).map((index) => rowAt(index, { empty: 'g f e d c b a'.split(' ').slice(index), outcome: SENT }));
const USED_UP = rowAt(0, { batch: 1, data: { credits_used: 1, credits_remaining: 0 }, outcome: SENT });

test.each<[text: string, rows: readonly Row[], options?: Given['options']]>([
  ['1 sent, 1 credit used, 0 left, 1 request.', [USED_UP]],
  [`Nothing was sent.<br>${REASONS}`, rowsOf(notSent({ message: 'The key is wrong' }), WRONG_URL, WRONG_URL)],
  [
    'Nobody would get a message.<br>Dry run: nothing more was sent.<br>3 sent (3 of them in an earlier attempt).',
    rowsUpTo(3, { isRecalled: true, outcome: SENT }),
    { ...OPTIONS, dryRun: true },
  ],
  [
    `Nobody would get a message.<br>Dry run: nothing was sent.<br>3 can't be sent.<br>${REASONS.replaceAll('not sent', "can't be sent")}`,
    rowsOf(notSent({ message: 'The key is wrong' }), WRONG_URL, WRONG_URL),
    { ...OPTIONS, dryRun: true },
  ],
  [
    "1 person would get 2 messages.<br>Dry run: nothing was sent. It would take 2 credits and 1 request.<br>Landlines among the numbers: 1. To leave them out, set 'Number Check' to 'Mobile Numbers Only'.",
    rowsUpTo(2, { phone: '442079460123', outcome: { kind: 'planned' } }),
    { ...OPTIONS, dryRun: true },
  ],
  [
    "7 sent, 1 request.<br>Empty fields: 'a' in 7 messages, 'b' in 6 messages, 'c' in 5 messages, 'd' in 4 messages, 'e' in 3 messages and 2 more. To fill a gap, write {{ $json.a || 'there' }}; to skip such messages, add the option 'Empty Fields'.",
    EMPTY,
  ],
])('A run is summed up as: %s', async (text, rows, options = OPTIONS) => {
  expect(summaryLines(await summarize(rows, options, { requests: 1, accounts: 1 })).join('<br>')).toBe(text);
});

test.each<[text: string, rows: Row[]]>([
  ['200 not sent: it failed (items 0, 1, 2, 3, 4 and 195 more)', rowsOf(...times(200, notSent()))],
  [
    '4 not sent: it failed (item 1, entries 0, 3 of item 2, entry 5 of item 4)',
    [rowAt(1), rowAt(2, { entry: 0 }), rowAt(2, { entry: 3 }), rowAt(4, { entry: 5 })],
  ],
  [
    '6 not sent: it failed (entries 0, 1 of item 2, entries 0, 1, 2 of item 3 and 1 more)',
    [2, 2, 3, 3, 3, 3].map((item, index) => rowAt(item, { entry: item === 2 ? index : index - 2 })),
  ],
])('The first five places are named, with how many more: %s', async (text, rows) => {
  const error = await errorOf(rows.map((row) => ({ ...row, outcome: notSent() })));
  expect(error?.description).toContain(`${text}.${NUMBERED}`);
});

test.each([
  [8, '3 for other reasons: reason 5; reason 6; reason 7'],
  [20, '15 for other reasons: reason 5; reason 6; reason 7; reason 8; reason 9; …'],
])('Of %i reasons, the first five are given with their items, and the next by name: %s', async (count, others) => {
  const error = await errorOf(rowsOf(...upTo(count).map((index) => notSent({ message: `Reason ${index}` }))));
  expect(error?.description).toContain(`1 not sent: reason 4 (item 4).<br>${others}.${NUMBERED}`);
});

const [ORIGINAL] = rowsOf(notSent()) as [Row];
const DUPLICATE = rowAt(7, { duplicateOf: ORIGINAL, outcome: ORIGINAL.outcome });

test.each<[what: string, rows: readonly Row[], description: string, options?: Given['options']]>([
  ['all, for one reason', rowsOf(...times(250, notSent({ scope: 'run' }))), 'Nothing was sent.<br>Do something.'],
  [
    'what an earlier attempt has not sent',
    [rowAt(0, { batch: 1, isRecalled: true, outcome: SENT }), wrong(4), wrong(6, 2)],
    `1 sent (1 of them in an earlier attempt), 2 not sent, 1 request.<br>Correct it. Don't run this step again: it would send the 1 sent message again. ${RETRY_FOR_REST}<br>1 not sent: number of 4 is wrong (item 4).<br>1 not sent: number of 6 is wrong (entry 2 of item 6).${NUMBERED}`,
  ],
  [
    'what may have been sent',
    rowsOf(...times(150, SENT), UNCERTAIN, UNCERTAIN),
    `150 sent, 2 uncertain (may have been sent), 1 request.<br>${CHECK_FIRST} Do something. Don't run this step again: it would send the 150 sent and 2 uncertain messages again. ${LISTED_IN_RETRY}<br>2 may have been sent: it failed (items 150, 151).${NUMBERED}`,
  ],
  [
    'a message and its duplicate',
    [ORIGINAL, DUPLICATE],
    `Nothing was sent.<br>Do something.<br>2 not sent: it failed (items 0, 7).${NUMBERED}`,
  ],
  [
    'one of two, and will send nothing twice with Send Once, Also in Later Runs,',
    rowsOf(SENT, notSent()).map((row) => ({ ...row, key: 'May' })),
    '1 sent, 1 not sent, 1 request.<br>Do something. Once that is fixed, execute the workflow again: it sends what is left, and messages whose key has changed.',
    { ...OPTIONS, duplicateMessages: 'sendOnceEver' },
  ],
  [
    'what may have been sent, with Send Once, Also in Later Runs,',
    rowsOf(UNCERTAIN),
    `0 sent, 1 uncertain (may have been sent), 1 request.<br>${CHECK_FIRST} Do something. ${LISTED_IN_RETRY}`,
    { ...OPTIONS, duplicateMessages: 'sendOnceEver' },
  ],
])('The error of a run that did not send %s says what to do', async (_what, rows, description, options = OPTIONS) => {
  expect((await errorOf(rows, { options }))?.description).toBe(description);
});

test('The error of a run is shown as a failure of the service if an earlier attempt got it', async () => {
  expect(await errorOf([{ ...wrong(0), isRecalled: true }])).toBeInstanceOf(NodeApiError);
});

test('An error keeps its own text if n8n has one for a word in it', async () => {
  const message = 'Refused: EPERM ECONNREFUSED';
  expect(await errorOf(rowsOf(notSent({ message, httpStatus: null })))).toMatchObject({ message, httpCode: null });
});

const HELD_BACK = failed(failure('heldBack'));

test.each<[what: string, rows: readonly Row[], requests: number, message: string]>([
  ['one message', rowsOf(notSent()), 1, 'It failed. Do something. Nothing was sent.'],
  [
    'a message that may have been sent',
    rowsOf(UNCERTAIN),
    1,
    `It failed. ${CHECK_FIRST} Do something. 0 sent, 1 uncertain (may have been sent), 1 request. Do not call this tool again until it is clear whether the message was sent.`,
  ],
  [
    'some entries of a list',
    list(SENT, notSent(), UNCERTAIN, SENT, ...times(8, notSent())),
    12,
    'It failed. Do something. 2 sent, 9 not sent, 1 uncertain (may have been sent), 12 requests. 9 not sent: it failed (entries 1, 4, 5, 6, 7, 8, 9, 10, 11). 1 may have been sent: it failed (entry 2). Entries are numbered from 0. Call this tool again with only the entries named as not sent.',
  ],
  [
    'a list with invalid entries',
    [rowAt(0, { entry: 0, outcome: HELD_BACK }), wrong(0, 1), rowAt(0, { entry: 2, outcome: HELD_BACK }), wrong(0, 3)],
    0,
    'Number of 0 is wrong. Correct it. Nothing was sent. 2 not sent: number of 0 is wrong (entries 1, 3). Entries are numbered from 0.',
  ],
])('A model sees only the message, so that says everything: %s', async (...[, rows, requests, message]) => {
  const error = await errorOf(rows, { node: TOOL, requests });
  expect(error?.message).toBe(message);
  expect(error?.description ?? null).toBeNull();
});

test.each([
  [
    'the answer lacks fields and has others',
    { extra: 'x', status: { nested: true } },
    { message_id: 7, status: 'sent', credits_used: null, credits_remaining: null, sent_at: null },
  ],
  [
    'the answer has a name such as __proto__',
    JSON.parse('{"__proto__": {"polluted": true}, "credits_used": 1}') as Row['data'],
    { message_id: 7, status: 'sent', credits_used: 1, credits_remaining: null, sent_at: null },
  ],
])('The item of a message that Send sent has the fields of the API if %s', async (_what, data, fields) => {
  const items = await outputItems([rowAt(0, { batch: 1, data, outcome: SENT })], SEND, false, true, null);
  expect(items).toEqual([{ json: { ...fields, phone: phoneAt(0) }, pairedItem: { item: 0 } }]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test.each(ODD_VALUES)('A failed item whose phone is %s has only what an item can contain', async (_name, value) => {
  const defect = failureWith();
  const row = rowAt(0, { phoneGiven: value, defect, outcome: failed(defect) });
  const [item] = await outputItems([row], SEND_BULK, false, true, null);
  const { phone } = item?.json.details as { phone: unknown };
  expect(phone === null || typeof phone === 'string' || typeof phone === 'number').toBe(true);
});
