/** What a run shows besides its items: progress, the log, and hints. */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { processedData } from '../../tools/engine/processedData';
import { contacts, KEY, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { type Execution, type Setup } from '../support/engine/workflow';
import { hintsOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, SEND_LIST, withOptions, WITHOUT_WAITING } from '../support/parameters';

const { sandbox, setupOf, run, retry } = nodeForTests();
const firstHint = (ran: Execution) => hintsOf(ran)[0]?.message;
const INVALID = { phone: 'abc', text: 'Hello' };
const CONTINUE = { onError: 'continueErrorOutput' } as const;
const ONCE = { duplicateMessages: 'sendOnce' };
const INVALID_ITEM = (item: number) => `1 not sent: the phone number contains letters (item ${item}).`;
const GUESSED = 'Numbers without + were read with the country code 44';
const CHARGED =
  '<br>By the balance, 2 of 2 texts without an answer used a credit so far. If anything else used or topped up the account meanwhile, this is wrong.';
const LOST = '2 may have been sent: the connection to the service was lost before its response arrived (items 2, 3).';

afterEach(() => jest.restoreAllMocks());

test('A manual run shows its progress in the browser console, without phone numbers or texts', async () => {
  const lines: unknown[] = [];
  await run({ items: contacts(250), parameters: SEND_BULK, onConsole: (...more) => void lines.push(...more) });
  expect(lines.at(-1)).toBe('Send: 250 of 250 messages done');
  expect(lines.join()).not.toMatch(/4477009|Hello/);
});

test('A production run writes one line to the log, without phone numbers, texts or the key', async () => {
  const info = jest.spyOn(Container.get(Logger), 'info').mockImplementation();
  const onConsole = jest.fn();
  await run({ items: [...contacts(2), INVALID], parameters: SEND_BULK, mode: 'trigger', ...CONTINUE, onConsole });
  expect(info.mock.calls.map(([line]) => line)).toEqual([
    `Messaging Send: 2 sent, 1 not sent, 2 credits used, 99998 left, 1 request. ${INVALID_ITEM(2)} Items are numbered from 0. ${GUESSED} (2 numbers).`,
  ]);
  expect(JSON.stringify(info.mock.calls)).not.toContain(KEY);
  expect(onConsole).not.toHaveBeenCalled();
});

const again = (messages: string) => `<br>Don't run this step again: it would send the ${messages} messages again.`;
const FIRST_SET =
  " To send only what is left, first set 'Duplicate Messages' to 'Send Once, Also in Later Runs'. A message whose text has changed is sent again.";

test.each<[what: string, type: string, message: string, setup: Partial<Setup>, prepare?: () => void]>([
  [
    'messages, credits and requests',
    'info',
    `250 sent, 250 credits used, 99750 left, 3 requests.${again('250 sent')}<br>${GUESSED} (250 numbers).`,
    { items: contacts(250) },
  ],
  [
    'what was not sent or is uncertain, and why',
    'warning',
    `5 sent, 1 not sent, 2 uncertain (may have been sent), 1 skipped because of 'Duplicate Messages', 5 credits used, 99993 left, 6 requests.${CHARGED}${again('5 sent and 2 uncertain')} Ask the recipients of the uncertain messages what arrived.${FIRST_SET}<br>${LOST}<br>${INVALID_ITEM(8)}<br>Items are numbered from 0.<br>${GUESSED} (7 numbers).`,
    {
      items: [...contacts(7), { phone: phoneAt(0), text: 'Hello 0' }, INVALID],
      parameters: inBatchesOf(2, withOptions(SEND_BULK, { ...ONCE, parallelRequests: 1 })),
    },
    () => sandbox().setFaults([{ kind: 'reset-after', after: 1 }]),
  ],
  [
    'the reason if nothing was sent, and what to do',
    'warning',
    'Nothing was sent: not enough credits (100 needed, 12 left).<br>Top up the account, then send only what is left.',
    { items: contacts(100) },
    () => sandbox().setCredits(12),
  ],
])('The hint above the output has %s', async (...[, type, message, setup, prepare]) => {
  prepare?.();
  const ran = await run({ parameters: SEND_BULK, items: [], ...CONTINUE, ...setup });
  expect(hintsOf(ran)).toEqual([{ message, type, location: 'outputPane' }]);
});

test.each<[string, Partial<Setup>, boolean]>([
  ['in a workflow that was never saved', { workflowId: '' }, false],
  ["if n8n's database took no note", {}, true],
])('No hint relies on notes that are not there: %s', async (_what, given, refuses) => {
  sandbox().setFaults([{ kind: 'status', status: 422, phones: [phoneAt(1)] }]);
  processedData.set({ refuses: () => refuses });
  const ran = await run({ items: contacts(3), parameters: SEND_BULK, ...CONTINUE, ...given });
  expect(firstHint(ran)).toMatch(/^2 sent, 1 not sent/);
  expect(firstHint(ran)).not.toContain('Send Once, Also in Later Runs');
});

test.each([
  ['of one person in two spellings', '+541123456789', '5491123456789', 'More than one message went to 1 number.'],
  ['of two numbers', phoneAt(0), phoneAt(1), 'More than one message went to 2 numbers.'],
])('The hint counts the people %s', async (_what, one, other, sentence) => {
  const items = [one, other, one, other].map((phone, index): IDataObject => ({ phone, text: `Hello ${index}` }));
  expect(firstHint(await run({ items, parameters: SEND_BULK }))).toContain(`<br>${sentence}<br>`);
  const dry = await run({ items, parameters: withOptions(SEND_BULK, { dryRun: true }) });
  expect(firstHint(dry)).toContain(`<br>${sentence.replace('went', 'would go')}`);
});

test('The hint of a retry counts what an earlier attempt sent, and the credits that are left now, after a top-up', async () => {
  sandbox().setCredits(2);
  const setup = setupOf({ items: contacts(3), parameters: SEND });
  const first = await run(setup);
  sandbox().setCredits(1000);
  expect(firstHint(await retry(first, setup))).toBe(
    `3 sent (2 of them in an earlier attempt), 1 credit used, 999 left, 1 request.${again('3 sent')}<br>${GUESSED} (3 numbers).`,
  );
});

test('A hint shows the name of a field as text, not as HTML', async () => {
  const message = '=Hello {{ $json["<img src=x>"] }}';
  const ran = await run({ items: contacts(1), parameters: { ...SEND_BULK, message } });
  expect(firstHint(ran)).toContain("Empty fields: '&lt;img src=x>' in 1 message.");
});

describe('Where several people get the same text, the hint', () => {
  const FIRST = "={{ $('Items').first().json.text }}";
  const SAME = "messages have the same text, although 'Message' is an expression.";
  const ada = { ...contacts(1)[0], text: 'Hello Ada' };
  const list = contacts(3).map(({ phone }) => ({ phone, message: 'Hello' }));

  test.each<[what: string, parameters: INodeParameters, items?: IDataObject[]]>([
    ['the first one in place of each', { ...SEND_BULK, message: FIRST }],
    ['the first one, from Send', { ...SEND, message: FIRST }],
    ['the first one inside a text', { ...SEND_BULK, message: '=Your code: {{ $input.all()[0].json.text }}' }],
    ['a dry run', withOptions({ ...SEND_BULK, message: FIRST }, { dryRun: true })],
    ['a test run', withOptions({ ...SEND_BULK, message: FIRST }, { testRun: phoneAt(9), duplicateMessages: 'send' })],
    ['fields that are alike', SEND_BULK, contacts(3).map((contact) => ({ ...contact, text: 'Hello' }))],
  ])('says so: %s', async (_what, parameters, items = contacts(3)) => {
    expect(firstHint(await run({ items, parameters }))).toContain(`<br>All 3 ${SAME}`);
  });

  test.each<[what: string, parameters: INodeParameters, items?: IDataObject[]]>([
    ['a text without an expression', { ...SEND_BULK, message: 'Hello' }],
    ['an expression that is about no item', { ...SEND_BULK, message: '=Hello {{ "you" }}' }],
    ['texts that differ', SEND_BULK],
    ['one text that differs, the last one', SEND_BULK, [ada, { ...ada, phone: phoneAt(1) }, ...contacts(3).slice(2)]],
    ['one person', { ...SEND_BULK, message: FIRST }, contacts(1)],
    ['one person in two spellings', SEND, [ada, { ...ada, phone: `+${phoneAt(0)}` }]],
    ['a JSON list', { ...SEND_LIST, message: FIRST }, [{ list }]],
  ])('says nothing of %s', async (_what, parameters, items = contacts(3)) => {
    const options = { ...WITHOUT_WAITING, duplicateMessages: 'send' };
    expect(firstHint(await run({ items, parameters: { ...parameters, options } }))).not.toContain('same text');
  });
});
