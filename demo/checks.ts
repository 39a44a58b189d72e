import { type Contact, expectedMessage, expectedPhone } from './contacts';
import type { ExampleWorkflow } from './example';
import type { Outcome } from './outcome';

/** Largest number of messages in one request, by the API document (4.3). */
const MESSAGES_PER_REQUEST = 100;

/** One thing that has to be so; `difference` is empty when it is. */
export interface Check {
  name: string;
  difference: string;
}

/** Compares what came of a run, in n8n and in the sandbox, with what has to come of these contacts. */
export function checkOutcome(outcome: Outcome, contacts: Contact[], example: ExampleWorkflow): Check[] {
  const good = contacts.flatMap((contact, item) => {
    const phone = expectedPhone(contact);
    return phone === undefined ? [] : [{ item, phone, message: expectedMessage(example.messageTemplate, contact) }];
  });
  const bad = contacts.flatMap((contact, item) => (expectedPhone(contact) === undefined ? [item] : []));
  const { execution, sent, notSent, received } = outcome;
  const inListOrder = (item: number | undefined, index: number, all: Array<number | undefined>) =>
    index === 0 || Number(all[index - 1]) < Number(item);
  const sentItems = sent.map(({ item }) => item);
  const notSentItems = notSent.map(({ item }) => item);

  return [
    equal('the workflow ran to its end without an error', [execution.status, execution.error], ['success', '']),
    equal('n8n read every contact of the list', outcome.contactItems, contacts.length),
    equal(
      'every contact has one outcome, and none has two',
      [...sentItems, ...notSentItems].sort((left, right) => Number(left) - Number(right)),
      contacts.map((_contact, item) => item),
    ),
    equal(
      'outcomes come in the order of the list',
      [sentItems.every(inListOrder), notSentItems.every(inListOrder)],
      [true, true],
    ),
    equal(
      'the good contacts are sent, each to its number',
      sent.map(({ item, phone }) => ({ item, phone })),
      good.map(({ item, phone }) => ({ item, phone })),
    ),
    equal('the bad contacts are not sent', notSentItems, bad),
    equal(
      'every contact not sent has a code and a reason',
      notSent.filter(({ code, reason }) => code === '' || reason === ''),
      [],
    ),
    equal(
      'both ends of the workflow have their items',
      [outcome.atSentEnd, outcome.atNotSentEnd],
      [good.length, bad.length],
    ),
    equal(
      'the sandbox has a message for each good contact, each once, with the right text',
      received.map(({ phone, message }) => ({ phone, message })).sort(byPhone),
      good.map(({ phone, message }) => ({ phone, message })).sort(byPhone),
    ),
    equal(
      "n8n's message ids are the sandbox's",
      sent.map(({ messageId, phone }) => ({ messageId, phone })).sort(byPhone),
      received.map(({ id, phone }) => ({ messageId: id, phone })).sort(byPhone),
    ),
    equal(
      `requests carry up to ${MESSAGES_PER_REQUEST} messages each`,
      outcome.requests,
      Math.ceil(good.length / MESSAGES_PER_REQUEST),
    ),
    equal('one credit went for each message', outcome.creditsBefore - outcome.creditsAfter, good.length),
  ];
}

/** Requests run at once, so batches may reach the service in any order. */
function byPhone(left: { phone: unknown }, right: { phone: unknown }): number {
  return String(left.phone).localeCompare(String(right.phone));
}

/** A check that two values are the same, as JSON. */
export function equal(name: string, actual: unknown, expected: unknown): Check {
  return { name, difference: differenceOf(actual, expected) };
}

function differenceOf(actual: unknown, expected: unknown): string {
  if (Array.isArray(actual) && Array.isArray(expected)) {
    const length = Math.max(actual.length, expected.length);
    const places = Array.from({ length }, (_slot, index) => index);
    const at = places.find((index) => show(actual[index]) !== show(expected[index]));
    if (at === undefined) return '';
    const counts = actual.length === expected.length ? '' : `; ${actual.length} instead of ${expected.length} in all`;
    return `at ${at}: ${show(actual[at])} instead of ${show(expected[at])}${counts}`;
  }
  return show(actual) === show(expected) ? '' : `${show(actual)} instead of ${show(expected)}`;
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
