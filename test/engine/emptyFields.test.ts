/** Texts in which an expression gives nothing for an item: "Hello ,". */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Execution } from '../support/engine/workflow';
import { hintsOf, outcomesOf } from '../support/outputs';
import { oneByOne, SEND, SEND_BULK, SENDING_OPERATIONS, withOptions } from '../support/parameters';

const { sandbox, setupOf, run, retry, received, texts } = nodeForTests();

/** A contact for each name. */
const named = (...names: unknown[]): IDataObject[] =>
  names.map((name, index) => ({ phone: phoneAt(index), name }) as IDataObject);
const hello = (parameters: INodeParameters, options: INodeParameters = {}): INodeParameters =>
  withOptions({ ...parameters, message: '=Hello {{ $json.name }}, welcome' }, options);
const HELD_BACK = { emptyFields: 'doNotSend' };
const firstHint = (ran: Execution) => hintsOf(ran)[0]?.message;

test.each(SENDING_OPERATIONS)('%s sends such a text and names the field', async (_name, parameters) => {
  const ran = await run({ items: named('Ada', '', 'Alan'), parameters: hello(parameters) });
  expect(texts().sort()).toEqual(['Hello , welcome', 'Hello Ada, welcome', 'Hello Alan, welcome']);
  expect(firstHint(ran)).toMatch(/ requests?\. Empty fields: 'name' in 1 message\./);
});

describe("'Empty Fields' set to 'Don't Send'", () => {
  test.each(SENDING_OPERATIONS)('makes %s keep back such a message, and no other', async (_name, parameters) => {
    const ran = await run({ items: named('Ada', '', 'Alan'), parameters: hello(parameters, HELD_BACK) });
    expect(texts().sort()).toEqual(['Hello Ada, welcome', 'Hello Alan, welcome']);
    expect(outcomesOf(ran)).toEqual(['sent', 'skipped', 'sent']);
    expect(ran.outputs[0]?.[1]).toMatchObject({
      json: { status: 'skipped', reason: 'empty_field', empty_fields: ['name'], phone: phoneAt(1), message_id: null },
      pairedItem: { item: 1 },
    });
    expect(firstHint(ran)).toMatch(
      /^2 sent, 1 skipped because of 'Empty Fields', .* Empty fields: 'name' in 1 message\./,
    );
  });

  test.each(['sendOnce', 'sendOnceEver'])('keeps back no message with the same key, with %s', async (choice) => {
    const options = { ...HELD_BACK, duplicateMessages: choice, messageKey: 'order 1' };
    const ran = await run({ items: named('', 'Ada', 'Alan'), parameters: hello(SEND_BULK, options) });
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

describe('Empty is', () => {
  const contact = {
    phone: phoneAt(0),
    name: 'Ada',
    none: null,
    blank: ' \n',
    zero: 0,
    no: false,
    list: [],
    at: { city: '' },
  };
  const emptyIn = async (message: string) => {
    const { outputs } = await run({ items: [contact], parameters: withOptions({ ...SEND, message }, HELD_BACK) });
    return outputs[0]?.[0]?.json.empty_fields ?? [];
  };

  test.each<[string, string[]]>([
    ['=Hi {{ $json.name }}', []],
    ['=Hi {{ $json.missing }}', ['missing']],
    ['=Hi {{$json.none}}!', ['none']],
    ['=Hi {{ $json.blank }}!', ['blank']],
    ['={{ $json.zero }} and {{ $json.no }}', []],
    ['=In {{ $json.at.city }}', ['at.city']],
    ['=In {{ $json["first name"] }}', ['first name']],
    ['={{ $json.name }} {{ $json.missing }}', ['missing']],
    ['={{ $json.missing }} {{ $json.name }}', ['missing']],
    ['={{ $json.missing }}{{ $json.none }}{{ $json.name }}', ['missing', 'none']],
    ['={{ $json.missing }}, {{ $json.missing }} and {{ $json.name }}', ['missing']],
    ["=Hi {{ $('Items').item.json.missing }}", ["$('Items').item.json.missing"]],
    ["=Hi {{ $('Items').item.json.name }}", []],
    ['=Hi {{ $json.missing?.trim() }}', ['$json.missing?.trim()']],
    ['=Hi {{ $json.missing ?? "you" }}', []],
    ['=Hi {{ $json.name + ", this is longer than a name of a field" }}', []],
    ['=Hi {{ $json.none ? "a name that is there" : "" }}!', ['$json.none ? "a name that is there" : ""']],
    ['={{ $json.name }}', []],
    ['Hi', []],
  ])('what %s gives: %j', async (message, fields) => {
    expect(await emptyIn(message)).toEqual(fields);
  });
});
