import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { type N8nDemo, startInN8n } from '../../demo/n8n';
import { type Outcome, runExample } from '../../demo/run';
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

describe('The demo in real n8n', () => {
  const session = sessionForTests();
  let demo: N8nDemo;
  let contacts: Contact[];
  let outcome: Outcome;
  before(async () => {
    contacts = await readContacts(EXAMPLE_CONTACTS);
    demo = await startInN8n({ tarball: tarball(), contactsFile: EXAMPLE_CONTACTS, credits: 1000 }, session);
    outcome = await runExample(demo);
  });

  test('Every contact that can be reached gets its own text, and each contact has one outcome, in the order of the list', () => {
    const { execution, sent, notSent } = outcome;
    assert.deepEqual([execution.status, execution.error], ['success', '']);
    assert.equal(execution.outputOf(demo.example.contacts).length, contacts.length);

    const reachable = contacts.flatMap((contact, item) => {
      const phone = expectedPhone(contact);
      return phone === undefined ? [] : [{ item, phone, message: expectedMessage(template(demo), contact) }];
    });
    const unreachable = contacts.flatMap((contact, item) => (expectedPhone(contact) === undefined ? [item] : []));
    const received = demo.instance.sandbox.messages().toSorted(byPhone);
    assert.deepEqual(
      received.map(({ phone, message }) => ({ phone, message })),
      reachable.map(({ phone, message }) => ({ phone, message })).sort(byPhone),
    );
    assert.deepEqual(
      sent.map(({ item, phone }) => ({ item, phone })),
      reachable.map(({ item, phone }) => ({ item, phone })),
    );
    assert.deepEqual(
      sent.map(({ messageId, phone }) => ({ messageId, phone })).sort(byPhone),
      received.map(({ id, phone }) => ({ messageId: id, phone })),
    );
    assert.deepEqual(
      notSent.map(({ item }) => item),
      unreachable,
    );
    assert.ok(notSent.every(({ code, reason }) => code !== '' && reason !== ''));
    assert.deepEqual(
      ['Sent', 'Unsent Contacts'].map((node) => execution.outputOf(node).length),
      [reachable.length, unreachable.length],
    );
    assert.equal(outcome.requests, Math.ceil(reachable.length / MESSAGES_PER_REQUEST));
    assert.equal(outcome.creditsBefore - outcome.creditsAfter, reachable.length);
  });

  const connected = 'Connection successful!';
  const credentials: Array<[what: string, path: string, apiKey: string, answer: string]> = [
    ['the right key', '/v1', API_KEY, connected],
    ['the alternative address with a slash at its end', '/api/v1/', API_KEY, connected],
    ['no key', '/v1', ' ', "'API Key' in the credential is empty"],
    [
      'a null character in the key',
      '/v1',
      `${API_KEY}\0`,
      "The API key contains a control character, which can't be part of a key",
    ],
    [
      'a password in the address',
      '@localhost/v1',
      API_KEY,
      "'Base URL' in the credential contains a user name or a password, which it can't have",
    ],
    ['a wrong key', '/v1', 'another', 'The API key is not valid. Copy it from your account settings.'],
    [
      'a wrong address',
      '/v2',
      API_KEY,
      'The service does not know this address. Check the Base URL: it ends in /v1 or /api/v1.',
    ],
    [
      'an address where another service answers',
      '/?',
      API_KEY,
      'The response is not from the messaging service. Copy the Base URL from your account settings.',
    ],
  ];
  for (const [what, path, apiKey, answer] of credentials) {
    test(`The credential test has its own answer to ${what}`, async () => {
      const { rest, sandbox, credential } = demo.instance;
      const { message } = await rest.testCredential(credential, { baseUrl: `${sandbox.url}${path}`, apiKey });
      assert.equal(message, answer);
    });
  }
});

/** The sending node's expression for the text. */
function template({ example }: N8nDemo): string {
  const sender = nodesOf(example.workflow).find(({ name }) => name === example.sender);
  return asString(asObject(sender?.parameters, 'parameters').message, 'message');
}
