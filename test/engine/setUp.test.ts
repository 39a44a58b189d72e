/** A wrong set-up, and what an earlier attempt of the same execution did. */
import type { INodeParameters } from 'n8n-workflow';

import { inFlight } from '../../tools/engine/lifetime';
import { contacts, listOf, phoneAt, phones } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Execution, Setup } from '../support/engine/workflow';
import { detailsOf, hintsOf, outcomesOf } from '../support/outputs';
import { inBatchesOf, oneByOne, SEND, SEND_AND_WAIT, SEND_BULK, SEND_LIST, withOptions } from '../support/parameters';

const { sandbox, setupOf, run, retry, campaign, received } = nodeForTests();
const CONTINUE = 'continueRegularOutput';

/** An expression that n8n can't evaluate. */
const FAILS = '={{ $("No such node").first().json.value }}';
/** The same, but only for the item with this phone. */
const failsFor = (index: number, otherwise: string) =>
  `={{ $json.phone === "${phoneAt(index)}" ? $("No such node").first().json.value : ${otherwise} }}`;

/** An execution in which the request after this many was rejected, and with it the rest. */
async function stoppedAfter(requests: number, setup: Setup): Promise<Execution> {
  sandbox().setFaults([{ kind: 'status', status: 403, after: requests, times: 99 }]);
  const ran = await run(setup);
  expect(ran.error).toBeDefined();
  sandbox().setFaults([]);
  return ran;
}

const withoutAddress = ({ account }: Setup) => ({ account: { ...account, baseUrl: 'http://' } });
const failing = ({ parameters }: Setup) => ({ parameters: withOptions(parameters, { longestWait: FAILS }) });
const FAILED = /^'Max Wait' can't be read: Referenced node doesn't exist \('No such node'\)$/;
const BROKEN: Array<[string, (setup: Setup) => Partial<Setup>, RegExp]> = [
  ['the Base URL is no address', withoutAddress, /^'Base URL' in the credential is not an address/],
  ['an option has an expression that fails', failing, FAILED],
];

describe.each<[string, INodeParameters]>([
  ['Send', oneByOne(SEND)],
  ['Send Bulk', oneByOne(inBatchesOf(1, SEND_BULK))],
])('A retry of %s', (_name, parameters) => {
  /** An execution of four items that has sent the first two, and stopped because the service rejected the third. */
  const stoppedAfterTwo = async () => {
    const setup = setupOf({ items: contacts(4), parameters });
    const ran = await stoppedAfter(2, setup);
    expect(received()).toEqual(phones(0, 1));
    return { setup, ran };
  };
  /** The same, but n8n was killed, and nothing is known about the messages. */
  const killed = async () => {
    const settings = { saveExecutionProgress: true };
    const begun = campaign({ items: contacts(4), parameters, mode: 'manual', settings });
    await begun.run(inFlight(3));
    return begun;
  };

  describe.each(BROKEN)('where %s', (_what, breakIt, message) => {
    test('reports what was sent before, and sends the rest once it is right again', async () => {
      const { ran, setup } = await stoppedAfterTwo();
      const second = await retry(ran, setup, breakIt(setup));
      expect(second.error?.message).toMatch(message);
      expect(second.error?.description).toContain('2 sent (2 of them in an earlier attempt), 2 not sent');
      const again = await retry(second, setup, { ...breakIt(setup), onError: CONTINUE });
      expect(outcomesOf(again)).toEqual(['sent', 'sent', 'not_sent', 'not_sent']);
      const items = again.outputs[0] ?? [];
      expect(items.map(({ json }) => json.phone ?? detailsOf({ json }).phone)).toEqual(phones(0, 1, 2, 3));
      expect(items[2]?.json.error).toMatch(message);
      expect(hintsOf(again)[0]?.message).toMatch(/^2 sent \(2 of them in an earlier attempt\), 2 not sent/);
      expect(outcomesOf(await retry(second, setup, {}))).toEqual(['sent', 'sent', 'sent', 'sent']);
      expect(received()).toEqual(phones(0, 1, 2, 3));
    });

    test('reports after a kill that every message may have been sent', async () => {
      const begun = await killed();
      const again = await begun.run({ changes: { ...breakIt(begun.setup), onError: CONTINUE } });
      expect(outcomesOf(again)).toEqual(Array(4).fill('uncertain'));
    });
  });

  test.each(['phone', 'message'] as const)(
    'reports an item as uncertain if its %s can no longer be evaluated',
    async (name) => {
      const { ran, setup } = await stoppedAfterTwo();
      const changed = { ...parameters, [name]: failsFor(1, name === 'phone' ? '$json.phone' : '$json.text') };
      const again = await retry(ran, setup, { parameters: changed, onError: CONTINUE });
      expect(outcomesOf(again)).toEqual(['sent', 'uncertain', 'sent', 'sent']);
      expect(received()).toEqual(phones(0, 1, 2, 3));
    },
  );

  test('reports an item as uncertain if it can no longer be evaluated and n8n has lost its record', async () => {
    const changed = { ...parameters, phone: failsFor(1, '$json.phone') };
    const again = await (await killed()).run({ changes: { parameters: changed, onError: CONTINUE } });
    expect(outcomesOf(again)).toEqual(Array(4).fill('uncertain'));
    expect(again.outputs[0]?.[1]?.json.error).toMatch(/^An expression in 'Phone' can't be evaluated: /);
    expect(detailsOf(again.outputs[0]?.[1]).description).toContain('The message may have been sent');
  });
});

test('A retry reports a list of which entries were sent as uncertain, if it can no longer be read', async () => {
  const setup = setupOf({ items: [{ list: listOf(4) }], parameters: oneByOne(inBatchesOf(2, SEND_LIST)) });
  const ran = await stoppedAfter(1, setup);
  const changes = { parameters: { ...setup.parameters, messages: FAILS }, onError: CONTINUE } as const;
  expect(outcomesOf(await retry(ran, setup, changes))).toEqual(['uncertain']);
});

const NO_NODE = "Referenced node doesn't exist ('No such node')";
const FORM = { ...SEND_AND_WAIT, responseType: 'customForm', formFields: { values: [{ fieldLabel: FAILS }] } };

test.each<[parameter: string, INodeParameters, reason: string]>([
  ['Phone', { ...SEND_BULK, phone: FAILS }, NO_NODE],
  ['Phone', { ...SEND_AND_WAIT, sendTo: FAILS }, NO_NODE],
  ['Form Elements', FORM, NO_NODE],
  ['Default Country Code', withOptions(SEND, { defaultCountryCode: FAILS }), NO_NODE],
  ['Message', { ...SEND_BULK, message: '={{ DateTime }}' }, 'this is a DateTime, please access its methods'],
  ['Messages', { ...SEND_LIST, messages: '={{ $items("Gone") }}' }, "Referenced node doesn't exist ('Gone')"],
  ['Message Key', withOptions(SEND, { messageKey: '={{ $input.last(1) }}' }), '$input.last() takes no arguments. To'],
])(
  "The error names '%s' if its expression fails, in n8n's words, and ends with one period in a hint",
  async (parameter, parameters, reason) => {
    const ran = await run({ items: contacts(1), parameters, onError: CONTINUE });
    const error = ran.outputs[0]?.[0]?.json.error as string;
    expect(error).toContain(`An expression in '${parameter}' can't be evaluated: ${reason}`);
    expect(hintsOf(ran)[0]?.message).toBe(`Nothing was sent: ${error.replace('An', 'an')}.`);
    expect(error).not.toMatch(/\.$/);
  },
);
