/** Words that programs write in place of a missing value, in each place where one can be. */
import { contacts, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { outcomesOf } from '../support/outputs';
import { SEND_BULK, withOptions } from '../support/parameters';
import { listOf } from '../unit/samples';

const { run, received, texts } = nodeForTests({ onError: 'continueErrorOutput' });

const JAVASCRIPT =
  'undefined, Undefined, UNDEFINED, null, NULL, NaN, Infinity, -Infinity, Invalid Date, Invalid DateTime, Invalid Duration, Invalid Interval, [object Object], function trim() { [native code] }, function () { [native code] }';
const PYTHON = 'None, nan, {}, []';
const SPREADSHEETS =
  '#N/A, #REF!, #ERROR!, #NAME?, #VALUE!, #DIV/0!, #NULL!, #NUM!, #SPILL!, #CALC!, #BEZUG!, #WERT!, #ZAHL!, #NV, Loading...';

/** Where a word or a text can be: in the text or the key. */
const PLACES = [
  ['is the whole text', '={{ $json.word }}', '1'],
  ['is what an expression wrote', '=Hello {{ $json.word.trim() }}, welcome', '1'],
  ['is all of a field', '={{ "Hello " + $json.word + ", welcome" }}', '1'],
  ['is the whole key', 'Hello', '={{ $json.word }}'],
  ['is what an expression wrote into the key', 'Hello', '=order-{{ $json.word }}'],
  ['is all of a field in the key', 'Hello', '={{ `order-${$json.word}` }}'],
] as const;

describe.each(PLACES)('Where it %s,', (_place, message, messageKey) => {
  const sendWith = async (word: string) => {
    const parameters = withOptions({ ...SEND_BULK, message }, { messageKey, emptyFields: 'doNotSend' });
    return await run({ items: [{ phone: phoneAt(0), word }], parameters });
  };

  test.each(listOf(`${JAVASCRIPT}, ${PYTHON}, ${SPREADSHEETS}`))('%s stands for nothing', async (word) => {
    const [[left] = [], [refused] = []] = (await sendWith(word)).outputs;
    const said = JSON.stringify(left?.json.empty_fields ?? refused?.json.error);
    expect(said).toMatch(/^\["word"\]$|is empty"$|contains \[object Object\]|needs a value for 'word'/);
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
