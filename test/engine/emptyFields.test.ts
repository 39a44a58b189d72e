/** Texts and keys in which an expression is empty for an item: "Hello ,". And words in place of a value, wherever one can be. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, listOf as entriesOf, phoneAt, phones } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { type Execution, runRouting } from '../support/engine/workflow';
import { detailsOf, hintsOf, outcomesOf } from '../support/outputs';
import { oneByOne, SEND, SEND_BULK, SEND_LIST, SENDERS, withOptions } from '../support/parameters';
import { listOf } from '../unit/samples';

const { sandbox, setupOf, run, retry, received, texts, requests } = nodeForTests();

const named = (...names: unknown[]): IDataObject[] =>
  names.map((name, index) => ({ phone: phoneAt(index), name }) as IDataObject);
const hello = (parameters: INodeParameters, options: INodeParameters = {}): INodeParameters =>
  withOptions({ ...parameters, message: '=Hello {{ $json.name }}, welcome' }, options);
const HELD_BACK = { emptyFields: 'doNotSend' };
const firstHint = (ran: Execution) => hintsOf(ran)[0]?.message;

test.each(SENDERS)('%s sends such a text and names the field', async (_name, parameters) => {
  const ran = await run({ items: named('Ada', '', 'Alan'), parameters: hello(parameters) });
  expect(texts().sort()).toEqual(['Hello , welcome', 'Hello Ada, welcome', 'Hello Alan, welcome']);
  expect(firstHint(ran)).toMatch(/<br>Empty fields: 'name' in 1 message\. To fill a gap, write \{\{ .* \}\}; to skip/);
});

test.each(['name', 'list[0] }}{{ $json.at.city'])('The hint says how to fill the gap of %s', async (field) => {
  const sent = async (gap: string) =>
    firstHint(await run({ items: named(''), parameters: { ...SEND_BULK, message: `=Hello ${gap}` } })) ?? '';
  const [filled = ''] = /\{\{ .* \}\}(?=; to skip)/.exec(await sent(`{{ $json.${field} }}`)) ?? [];
  await sent(filled);
  expect(texts().at(-1)).toBe('Hello there');
});

test.each([
  ['={{ "Hello " + $json.name }}', /^1 sent, .*<br>Empty fields: 'name' in 1 message\./],
  ['={{ String($json.name) }}', /^Nothing was sent: the message is empty\./],
  ['=Hello {{ $json }}', /^Nothing was sent: the message contains \[object Object\]/],
])('The hint tells what the text %s is without a name', async (message, hint) => {
  const parameters = { ...SEND_BULK, message };
  expect(firstHint(await run({ items: named(undefined), parameters, onError: 'continueErrorOutput' }))).toMatch(hint);
});

describe("'Empty Fields' set to 'Don't Send'", () => {
  test.each(SENDERS)('makes %s keep back such a message, and no other', async (_name, parameters) => {
    const ran = await run({ items: named('Ada', '', 'Alan'), parameters: hello(parameters, HELD_BACK) });
    expect(texts().sort()).toEqual(['Hello Ada, welcome', 'Hello Alan, welcome']);
    expect(outcomesOf(ran)).toEqual(['sent', 'skipped', 'sent']);
    expect(ran.outputs[0]?.[1]).toMatchObject({
      json: { status: 'skipped', reason: 'empty_field', empty_fields: ['name'], phone: phoneAt(1), message_id: null },
      pairedItem: { item: 1 },
    });
    expect(firstHint(ran)).toMatch(
      /^2 sent, 1 skipped because of 'Empty Fields', .*<br>Empty fields: 'name' in 1 message\. To fill a gap, write \{\{ \$json\.name \|\| 'there' \}\}\.</,
    );
  });

  test.each(['sendOnce', 'sendOnceEver'])('keeps back no message with the same key, with %s', async (choice) => {
    const options = { ...HELD_BACK, duplicateMessages: choice, messageKey: 'order 1' };
    const items = named('', 'Ada', 'Alan').map((item) => ({ ...item, phone: phoneAt(0) }));
    const ran = await run({ items, parameters: hello(SEND_BULK, options) });
    expect(texts()).toEqual(['Hello Ada, welcome']);
    expect(ran.outputs[0]?.map(({ json }) => json.reason)).toEqual(['empty_field', undefined, 'duplicate']);
  });

  test('decides anew in a Retry, except what was sent', async () => {
    const setup = setupOf({ items: named('', 'Ada', ''), parameters: hello(oneByOne(SEND), { parallelRequests: 1 }) });
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
    const first = await run(setup);
    sandbox().setFaults([]);
    const parameters = hello(SEND, { ...HELD_BACK, parallelRequests: 1 });
    const second = await retry(first, setup, { parameters, onError: 'continueErrorOutput' });
    expect(outcomesOf(second)).toEqual(['sent', 'sent', 'skipped']);
    expect(received()).toEqual([phoneAt(0), phoneAt(1)]);
  });
});

const odd = { none: null, blank: ' \n', zero: 0, no: false, tags: [], at: { city: '' }, rows: [{ name: 'Ada' }, {}] };
// "Null" is German for zero, "annullato" Italian for canceled.
const own = 'Your undefined balance: null, NaN, annullato';
const ODD = [{ phone: phoneAt(0), name: 'Ada', own, ...odd }];

test.each<[string, string[]]>([
  ['=Hi {{ $json.name }}', []],
  ['=Hi {{ $json.missing }}', ['missing']],
  ['=Hi {{$json.none}}!', ['none']],
  ['=Hi {{ $json.blank }}!', ['blank']],
  ['={{ $json.zero }} and {{ $json.no }}', []],
  ['=In {{ $json.at.city }}', ['at.city']],
  ['=In {{ $json["first name"] }}', ['first name']],
  ['={{ $json.missing }}{{ $json.none }}{{ $json.name }}', ['missing', 'none']],
  ['={{ $json.missing }}, {{ $json.missing }} and {{ $json.name }}', ['missing']],
  ["=Hi {{ $('Items').item.json.missing }}", ["$('Items').item.json.missing"]],
  ['=Hi {{ $json.missing?.trim() }}', ['missing']],
  ['=Hi {{ $json.missing ?? "you" }}', []],
  ['=Hi {{ $json.name + ", this is longer than a name of a field" }}', []],
  ['=Hi {{ $json.none ? "a name that is there" : "" }}!', ['none']],
  ['={{ $json.zero }} point{{ $json.zero === 0 ? "" : "s" }}{{ $if($json.no, "!", "") }}', []],
  ['={{ $json.name }}', []],
  ['={{ "Hello " + $json.missing + ", your order is ready" }}', ['missing']],
  ['={{ `${$json.name} ${$json["first name"]}: null, ${$json.none}` }}', ['first name', 'none']],
  ['={{ `Hi ${$json.missing === undefined ? $json.none : "you"}` }}', ['missing', 'none']],
  ['=Hi {{ ("Hello " + $json.missing).toUpperCase() }}', ['missing']],
  ['=https://example.com/{{ "DE" + $json.missing }}', ['missing']],
  ['=On {{ new Date($json.missing).toLocaleDateString() }}', ['missing']],
  ['=On {{ DateTime.fromISO($json.missing).toFormat("d MMM") }}', ['missing']],
  ['=On {{ DateTime.fromISO($json.name) }}', ['DateTime.fromISO($json.name)']],
  ['=Total {{ $json.net * 1.2 }} EUR', ['net']],
  ['=You chose {{ $json.tags }}.', ['tags']],
  ['=In {{ [$json.missing, $json.at.city].join(", ") }}.', ['missing', 'at.city']],
  ['=Hi {{ $json.rows.map((row) => "- " + row.name).join() }}', ['$json.rows.map((row) => "- " + row.name).join()']],
  ['=Hi {{ $json.at }}', ['at']],
  ['=Hi {{ $json.own }}', []],
  ['=Hi {{ $json.own + $json.own.trim() + $json.name }}', []],
  ['=Hi {{ $json.own + $json.missing }}', ['missing']],
  [`=Hi {{ $('Items').first().json["own"] + "!" }}`, []],
  ['=undefined and null, {{ $json.name.trim() }}', []],
  ['={{ "null Zinsen, " + `${$json.name}, undefined` }}', []],
  ['=Hi \\{{SAVE10}} {{ $json.name }}', []],
])('Of the text %s, the empty fields are %j', async (message, fields) => {
  const { outputs } = await run({ items: ODD, parameters: withOptions({ ...SEND, message }, HELD_BACK) });
  expect(outputs[0]?.[0]?.json.empty_fields ?? []).toEqual(fields);
});

test('A text shows booleans as n8n does', async () => {
  await run({ items: named(true, false), parameters: hello(oneByOne(SEND)) });
  expect(texts()).toEqual(['Hello true, welcome', 'Hello false, welcome']);
});

/** What other programs fill in, what HTML and JSON write, and what people would take for neither. */
const LEFT = {
  placeholders: ['Hi {name}', 'Hi *|FNAME|*', 'Hi %first_name%', 'Hi ${first name}', 'Hi [[name]]', 'Hi <<name>>'],
  brackets: [
    'Dear [First Name],',
    '[Vorname], hallo',
    ...listOf('On [date], Hi [first_name], Hi <name>, Pay [Order Amount]'),
  ],
  code: ['Tom &amp; Jerry', 'Zo&euml;', 'It&#39;s &#x20AC;5', 'Hi<br>there', '<p class="x">Hi</p>', 'Items:\\n- tea'],
};
const SHOWN = [
  '100%ig, 50% | https://example.com/%C3%BC%BCck%20 | :-{ and } | \\{{SAVE10}} | [Acme] Hi | [1] [x] [Update]',
  'https://example.com/?a=1&copy=2&amp=3 | R&D; AT&T; B&Bs; | We <3 you >:( | 2 < 3, 3 <4> 2 | Mail <ada@example.com>',
  'See C:\\new | \\\\nas\\share | ¯\\_(ツ)_/¯ \\o/ | Sender [link.example.com] | Line\nbreak',
].flatMap((texts) => texts.split(' | '));

test.each(Object.entries(LEFT))("A dry run's hint says which texts have %s, which people see", async (_kind, left) => {
  const items = [...left, ...SHOWN].map((name, index) => ({ phone: phoneAt(index), name }));
  const parameters = { ...oneByOne(SEND), message: '={{ $json.name }}' };
  expect(firstHint(await run({ items, parameters: withOptions(parameters, { dryRun: true }) }))).toContain(
    '<br>Texts with a placeholder such as {name}, or code such as &lt;br> or \\n, are sent as they are: items 0, 1, 2, 3, 4 and 1 more. n8n fills in only expressions such as {{ $json.name }}.',
  );
  expect(firstHint(await run({ items, parameters }))).not.toContain('placeholder');
  expect(texts()).toEqual([...left, ...SHOWN.with(3, '{{SAVE10}}')]);
});

/** Words that programs write in place of a missing value. */
const JAVASCRIPT =
  'undefined, Undefined, UNDEFINED, null, NULL, NaN, Infinity, -Infinity, Invalid Date, Invalid DateTime, Invalid Duration, Invalid Interval, [object Object], function trim() { [native code] }, function () { [native code] }';
const PYTHON = 'None, nan, {}, []';
const SPREADSHEETS =
  '#N/A, #REF!, #ERROR!, #NAME?, #VALUE!, #DIV/0!, #NULL!, #NUM!, #SPILL!, #CALC!, #BEZUG!, #WERT!, #ZAHL!, #NV, Loading...';

/** Where a word or a text can be: in the text or the key. */
describe.each([
  ['is the whole text', '={{ $json.word }}', '1'],
  ['is what an expression wrote', '=Hello {{ $json.word.trim() }}, welcome', '1'],
  ['is all of a field', '={{ "Hello " + $json.word + ", welcome" }}', '1'],
  ['is the whole key', 'Hello', '={{ $json.word }}'],
  ['is what an expression wrote into the key', 'Hello', '=order-{{ $json.word }}'],
  ['is all of a field in the key', 'Hello', '={{ `order-${$json.word}` }}'],
] as const)('Where it %s,', (_place, message, messageKey) => {
  const sendWith = async (word: string) => {
    const parameters = withOptions({ ...SEND_BULK, message }, { messageKey, emptyFields: 'doNotSend' });
    return await run({ items: [{ phone: phoneAt(0), word }], parameters, onError: 'continueErrorOutput' });
  };

  test.each(listOf(`${JAVASCRIPT}, ${PYTHON}, ${SPREADSHEETS}`))('%s stands for nothing', async (word) => {
    const [[left] = [], [refused] = []] = (await sendWith(word)).outputs;
    const said = JSON.stringify(left?.json.empty_fields ?? refused?.json.error);
    expect(said).toMatch(/^\["word"\]$|is empty"$|contains \[object Object\]|needs a text or a number from 'word'/);
    expect(received()).toEqual([]);
  });

  test.each(
    listOf('None of us, Null, Nan, Infinity War, nan bread, Loading... wait, #NV2, ids[]=1, {"a":[]}, Nonesuch, #1!'),
  )('%s is a text', async (text) => expect(outcomesOf(await sendWith(text))).toEqual(['sent']));
});

test.each([
  ["={{ $json.stock === 'None' ? 'Sold out' : $json.stock }} today", 'Sold out today', undefined],
  ["=Hello {{ $json.stock.replace('None', 'none of it') }}, {{ $json.text }}", 'Hello none of it, Hello 0', undefined],
  ['=None of us has {{ $json.stock }}', undefined, ['stock']],
  ["={{ $json.stock === 'null' ? '' : 'In stock: ' }}{{ $json.stock }}", undefined, ['stock']],
  ['=Each {{ $json.total / 0 }} EUR', undefined, ['$json.total / 0']],
  ['=Your tags: {{ JSON.stringify($json.tags) }}', undefined, ['tags']],
])('A word counts only where it is written: %s', async (message, text, fields) => {
  const items = contacts(1).map((contact) => ({ ...contact, stock: 'None', total: 5, tags: [] }));
  const parameters = withOptions({ ...SEND_BULK, message }, { emptyFields: 'doNotSend' });
  const { outputs } = await run({ items, parameters });
  expect([texts()[0], outputs[0]?.[0]?.json.empty_fields]).toEqual([text, fields]);
});

describe("A 'Message Key' with a hole is refused", () => {
  const ORDER = '=order-{{ $json.id }}';
  const NO_ID = "'Message Key' needs a text or a number from 'id', and this item has none";
  const withKey = (parameters: INodeParameters, messageKey: string) => withOptions(parameters, { messageKey });
  const ordersOf = (...ids: unknown[]) =>
    ids.map((id, index) => ({ ...contacts(index + 1)[index], id }) as IDataObject);
  const refusedOf = async (items: IDataObject[], parameters: INodeParameters) => {
    const [, refused = []] = (await run({ items, parameters, onError: 'continueErrorOutput' })).outputs;
    return refused.map((item) => ({ ...detailsOf(item), error: item.json.error }));
  };
  const isRefused = { error: NO_ID, code: 'INVALID_PARAMETER', outcome: 'not_sent' };

  test.each(SENDERS)('by %s, and messages whose key is whole are sent', async (_name, parameters) => {
    const refused = await refusedOf(ordersOf('A-1', undefined, 7, null, 0), withKey(parameters, ORDER));
    expect(received().sort()).toEqual(phones(0, 2, 4));
    expect(refused).toMatchObject(phones(1, 3).map((phone) => ({ ...isRefused, phone })));
  });

  const HOLES = [undefined, null, NaN, Infinity, '', ' ', '\u200b\ud83d', {}, { id: 1 }, 'undefined', '#N/A', 'None'];
  test.each(HOLES)('where the field of the order is %j, and names the field', async (id) => {
    for (const key of [ORDER, '={{ $json.id }}', '={{ "order-" + $json.id }}', '={{ `${$json.text} ${$json.id}` }}']) {
      // An expression that writes nothing for an empty text, and something else, can be meant like that.
      if (/\+|`/.test(key) && typeof id === 'string' && !/\w/.test(id)) continue;
      for (const emptyFields of ['send', 'doNotSend']) {
        const parameters = withOptions(SEND_BULK, { messageKey: key, emptyFields });
        expect([key, await refusedOf(ordersOf(id), parameters)]).toMatchObject([key, [isRefused]]);
      }
    }
    expect(requests()).toEqual([]);
  });

  test.each([
    ['calculates with a field that is missing', '={{ $json.id * 2 }}', "needs a text or a number from 'id'"],
    ['is a list', '={{ [$json.phone] }}', 'needs a text or a number, and this item has none'],
    ['is true', '={{ $json.phone !== "" }}', 'needs a text or a number, and this item has none'],
    ['is false', '={{ $json.phone === "" }}', 'needs a text or a number, and this item has none'],
    ['is a date', '={{ $now }}', 'needs a text or a number, and this item has none'],
    ['was made by another node, and has the word', '={{ $json.key }}', "needs a text or a number from 'key'"],
    ['was not evaluated', '{{ $json.id }}', 'contains an expression that was not evaluated'],
  ])('where it %s', async (_what, key, reason) => {
    const items = contacts(1).map((contact) => ({ ...contact, key: 'order-undefined' }));
    const error = expect.stringContaining(`'Message Key' ${reason}`) as unknown;
    expect(await refusedOf(items, withKey(SEND, key))).toMatchObject([{ error }]);
    expect(requests()).toEqual([]);
  });

  test('for all messages of a JSON list, and in a call of a tool', async () => {
    expect(await refusedOf([{ list: entriesOf(2) }], withKey(SEND_LIST, ORDER))).toMatchObject([isRefused]);
    await expect(runRouting(setupOf({ items: contacts(1), parameters: withKey(SEND, ORDER) }))).rejects.toThrow(NO_ID);
    expect(requests()).toEqual([]);
  });

  test('but not one that somebody has written with such a word', async () => {
    const parameters = withKey(SEND_BULK, '=NaN bread, null sugar {{ $json.text }}');
    expect(outcomesOf(await run({ items: contacts(1), parameters }))).toEqual(['sent']);
  });
});
