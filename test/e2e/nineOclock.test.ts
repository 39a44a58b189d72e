/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { readExample } from '../../tools/n8n/examples';
import { type Execution } from '../../tools/n8n/execution';
import { CURRENT } from '../../tools/n8n/releases';
import { type WorkflowNode } from '../../tools/n8n/workflow';
import { copyOf, itemsAt, saleMessage, withOptions, withoutDryRun } from './exampleWorld';
import { instanceForTests } from './instanceForTests';
import { receivedBy } from './recipients';

interface Contact {
  name: string;
  phone: string;
}

/** A campaign of its own, with nothing sent before, that really sends. */
async function importOwn({ rest, credential }: InstanceWithSandbox, contacts: Contact[], from: string) {
  const options = { sendWindow: `${from}–24:00` };
  const change = (node: WorkflowNode) =>
    withContacts(
      withOptions(withoutDryRun(node), () => options),
      contacts,
    );
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
    const contacts = Array.from({ length: 2000 }, (_, index) => contactIn(index % 2 === 0 ? awake : asleep, index));
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
 * What the numbers of two countries begin with, where it is the same day and an hour apart, and the start of a window that
 * opens in the second one soon, but later than the 65 seconds that n8n waits without its database. In the first, it is
 * open already.
 */
function twoCountries(): { awake: string; asleep: string; from: string } {
  const opens = new Date(Math.ceil((Date.now() + 100_000) / 60_000) * 60_000);
  const clockIn = (timeZone: string) => opens.toLocaleTimeString('en-GB', { timeZone, timeStyle: 'short' });
  const inLondon = clockIn('Europe/London');
  return inLondon >= '00:30' && inLondon < '22:30'
    ? { awake: '33', asleep: '44', from: inLondon }
    : { awake: '81', asleep: '65', from: clockIn('Asia/Singapore') };
}

/** With a number that is one in its country. */
function contactIn(country: string, index: number): Contact {
  const numbers: Record<string, string> = { '33': '63998', '44': '770090', '65': '8123', '81': '901234' };
  const beginning = `${country}${numbers[country] ?? ''}`;
  const length = { '33': 11, '44': 12, '65': 10, '81': 12 }[country] ?? 0;
  const phone = `${beginning}${String(index).padStart(length - beginning.length, '0')}`;
  return { name: `Contact ${String(index).padStart(4, '0')}`, phone };
}

function withContacts(node: WorkflowNode, contacts: Contact[]): WorkflowNode {
  if (node.name !== 'Contacts') return node;
  // Numbers of fiction are no numbers of their country.
  const written = contacts.map(({ name, phone }) => ({ name, phone: phone.replace(/^(?!0)/, '+') }));
  return { ...node, parameters: { ...node.parameters, jsonOutput: JSON.stringify({ contacts: written }) } };
}
