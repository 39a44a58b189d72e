import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { type Outcome, runExample } from '../../demo/run';
import { type Demo, startDemo } from '../../demo/start';
import { asObject, asString } from '../../tools/json';
import { type Contact, EXAMPLE_CONTACTS, readContacts } from '../../tools/n8n/examples/contacts';
import { nodesOf } from '../../tools/n8n/examples/files';
import { API_KEY } from '../../tools/n8n/instance';
import { expectedMessage, expectedPhone } from './expectedMessages';
import { sessionForTests } from './instanceForTests';
import { byPhone } from './recipients';
import { tarball } from './tarball';

/** Largest number of messages in one request, by the API document (4.3). */
const MESSAGES_PER_REQUEST = 100;

describe('The demo', () => {
  const session = sessionForTests();
  let demo: Demo;
  let contacts: Contact[];
  let outcome: Outcome;
  before(async () => {
    contacts = await readContacts(EXAMPLE_CONTACTS);
    demo = await startDemo({ tarball: tarball(), contactsFile: EXAMPLE_CONTACTS, credits: 1000 }, session);
    outcome = await runExample(demo);
  });

  /** The contacts that can be reached, with the number and the text that each must get. */
  const reachable = () =>
    contacts.flatMap((contact, item) => {
      const phone = expectedPhone(contact);
      return phone === undefined ? [] : [{ item, phone, message: expectedMessage(template(demo), contact) }];
    });
  const unreachable = () => contacts.flatMap((contact, item) => (expectedPhone(contact) === undefined ? [item] : []));
  const received = () => demo.instance.sandbox.messages();

  test('The workflow ends without an error', () => {
    assert.deepEqual([outcome.execution.status, outcome.execution.error], ['success', '']);
  });

  test('n8n reads every contact of the list', () => {
    assert.equal(outcome.execution.outputOf(demo.example.contacts).length, contacts.length);
  });

  test('Every contact has exactly one outcome', () => {
    const items = [...outcome.sent, ...outcome.notSent].map(({ item }) => Number(item));
    assert.deepEqual(
      items.sort((left, right) => left - right),
      contacts.map((_contact, item) => item),
    );
  });

  test('Outcomes come in the order of the list', () => {
    for (const outcomes of [outcome.sent, outcome.notSent]) {
      const items = outcomes.map(({ item }) => Number(item));
      assert.deepEqual(
        items,
        [...new Set(items)].sort((left, right) => left - right),
      );
    }
  });

  test('Every contact that can be reached is sent to, at its own number', () => {
    assert.deepEqual(
      outcome.sent.map(({ item, phone }) => ({ item, phone })),
      reachable().map(({ item, phone }) => ({ item, phone })),
    );
  });

  test('Contacts that cannot be reached are not sent to', () => {
    assert.deepEqual(
      outcome.notSent.map(({ item }) => item),
      unreachable(),
    );
  });

  test('Every contact that is not sent to has a code and a reason', () => {
    assert.deepEqual(
      outcome.notSent.filter(({ code, reason }) => code === '' || reason === ''),
      [],
    );
  });

  test('Both ends of the workflow get their items', () => {
    const { execution } = outcome;
    assert.deepEqual(
      [execution.outputOf('Sent').length, execution.outputOf('Unsent Contacts').length],
      [reachable().length, unreachable().length],
    );
  });

  test('The sandbox has one message for each contact that can be reached, with the right text', () => {
    assert.deepEqual(
      received()
        .map(({ phone, message }) => ({ phone, message }))
        .sort(byPhone),
      reachable()
        .map(({ phone, message }) => ({ phone, message }))
        .sort(byPhone),
    );
  });

  test('The message ids in n8n are those of the sandbox', () => {
    assert.deepEqual(
      outcome.sent.map(({ messageId, phone }) => ({ messageId, phone })).sort(byPhone),
      received()
        .map(({ id, phone }) => ({ messageId: id, phone }))
        .sort(byPhone),
    );
  });

  test(`Requests carry up to ${MESSAGES_PER_REQUEST} messages each`, () => {
    assert.equal(outcome.requests, Math.ceil(reachable().length / MESSAGES_PER_REQUEST));
  });

  test('Each message costs one credit', () => {
    assert.equal(outcome.creditsBefore - outcome.creditsAfter, reachable().length);
  });

  const credentials: Array<{ what: string; path: string; apiKey: string; answer: string }> = [
    { what: 'the right key', path: '/v1', apiKey: API_KEY, answer: 'Connection successful!' },
    {
      what: 'the alternative address with a slash at its end',
      path: '/api/v1/',
      apiKey: API_KEY,
      answer: 'Connection successful!',
    },
    {
      what: 'no key',
      path: '/v1',
      apiKey: ' ',
      answer: 'The API key is missing. Enter the key from your account settings.',
    },
    {
      what: 'a wrong key',
      path: '/v1',
      apiKey: 'another',
      answer: 'The API key is not valid. Compare it with the one in your account settings.',
    },
    {
      what: 'a wrong address',
      path: '/v2',
      apiKey: API_KEY,
      answer: 'The service does not know this address. Check the Base URL: it ends in /v1 or /api/v1.',
    },
    {
      what: 'an address where another service answers',
      path: '/?',
      apiKey: API_KEY,
      answer:
        'The response is not from the messaging service. Compare the Base URL with the one in your account settings.',
    },
  ];
  for (const { what, path, apiKey, answer } of credentials) {
    test(`The credential test has its own answer to ${what}`, async () => {
      const { rest, sandbox, credential } = demo.instance;
      const { message } = await rest.testCredential(credential, { baseUrl: `${sandbox.url}${path}`, apiKey });
      assert.equal(message, answer);
    });
  }
});

/** The sending node's expression for the text. */
function template({ example }: Demo): string {
  const sender = nodesOf(example.workflow).find(({ name }) => name === example.sender);
  return asString(asObject(sender?.parameters, 'parameters').message, 'message');
}
