/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { readExample } from '../../tools/n8n/examples';
import { type Execution } from '../../tools/n8n/execution';
import { CURRENT } from '../../tools/n8n/releases';
import { type WorkflowNode } from '../../tools/n8n/workflow';
import { receivedBy } from './arrivals';
import { copyOf, itemsAt, saleMessage, sendingWith } from './exampleWorld';
import { instanceForTests } from './instanceForTests';

interface Contact {
  name: string;
  phone: string;
}

/** A campaign of its own, with nothing sent before, that really sends. */
async function importOwn({ rest, credential }: InstanceWithSandbox, contacts: Contact[], from: string) {
  const change = (node: WorkflowNode) => withContacts(sendingWith({ sendWindow: `${from}–24:00` })(node), contacts);
  return await rest.importWorkflow(copyOf(await readExample('nine-oclock-everywhere'), change), [credential]);
}

/** With a window that fits the time of the test. */
describe(`The example that waits for each country's morning, in n8n ${CURRENT}`, () => {
  const instance = instanceForTests();
  const received = () => receivedBy(instance().sandbox);
  const succeeded = (execution: Execution): Execution => {
    assert.equal(execution.status, 'success', execution.error);
    return execution;
  };

  test('n8n is killed while it waits for one of two countries: everybody of a large list gets it, once', async () => {
    const { awake, asleep, from } = twoCountries();
    const contacts = Array.from({ length: 2000 }, (_, index) => {
      const digits = String(index).padStart(4, '0');
      return { name: `Contact ${digits}`, phone: `${index % 2 === 0 ? awake : asleep}${digits}` };
    });
    const wrong = { name: 'Wrong Number', phone: '07700 900123' };
    const own = await importOwn(instance(), [...contacts, wrong], from);
    const expected = contacts.map(({ name, phone }) => saleMessage(name, phone));
    const inOrder = () => received().sort((one, other) => one.message.localeCompare(other.message));
    expected.sort((one, other) => one.message.localeCompare(other.message));

    const id = await instance().rest.start(own, 'Start');
    await instance().rest.waitUntilWaiting(id);
    const first = expected.filter(({ phone }) => phone.startsWith(awake));
    assert.deepEqual(inOrder(), first);
    await instance().n8n.kill();
    await instance().restart();

    const execution = succeeded(await instance().rest.waitForExecution(id, 240));
    assert.deepEqual(inOrder(), expected);
    const waited = execution
      .runsOf('Wait Until Nine')[0]
      ?.outputs[0]?.map(({ json: { name, phone } }) => ({ name, phone }));
    const sleepers = contacts.filter(({ phone }) => phone.startsWith(asleep));
    assert.deepEqual(waited, sleepers);
    const [failed, ...more] = itemsAt(execution, 'Not Sent');
    assert.deepEqual([failed?.name, more], [wrong.name, []]);

    const again = succeeded(await instance().rest.run(own, 'Start'));
    assert.deepEqual(inOrder(), expected);
    const reasons = itemsAt(again, 'Send Messages').map(({ reason }) => reason);
    assert.deepEqual(reasons, Array(contacts.length).fill('sent_before'));
  });
});

/**
 * What numbers of two countries begin with before four more digits, where it is the same day and an hour apart, and the
 * start of a window that opens in the second one soon, but later than the 65 seconds that n8n waits without its database.
 * In the first, it is open already.
 */
function twoCountries(): { awake: string; asleep: string; from: string } {
  const opens = new Date(Math.ceil((Date.now() + 100_000) / 60_000) * 60_000);
  const clockIn = (timeZone: string) => opens.toLocaleTimeString('en-GB', { timeZone, timeStyle: 'short' });
  const inLondon = clockIn('Europe/London');
  return inLondon >= '00:30' && inLondon < '22:30'
    ? { awake: '3363998', asleep: '44770090', from: inLondon }
    : { awake: '81901234', asleep: '658123', from: clockIn('Asia/Singapore') };
}

function withContacts(node: WorkflowNode, contacts: Contact[]): WorkflowNode {
  if (node.name !== 'Contacts') return node;
  // Numbers of fiction are no numbers of their country.
  const written = contacts.map(({ name, phone }) => ({ name, phone: phone.replace(/^(?!0)/, '+') }));
  return { ...node, parameters: { ...node.parameters, jsonOutput: JSON.stringify({ contacts: written }) } };
}
