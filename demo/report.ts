import type { Check } from './checks';
import type { Contact } from './contacts';
import type { Outcome } from './outcome';
import type { Owner } from './rest';

const SHOWN_PER_REASON = 5;

/** What came of a run, for a person to read. */
export function describeOutcome(outcome: Outcome, contacts: Contact[]): string {
  const { sent, notSent, requests, creditsBefore, creditsAfter, execution, sendingSeconds } = outcome;
  return [
    ...(execution.status === 'success' ? [] : [row('execution', `${execution.status} ${execution.error}`)]),
    row('contacts', contacts.length),
    // An item without a message id is one that n8n passed on when the node failed.
    row('sent', sent.filter(({ messageId }) => Number.isInteger(messageId)).length),
    row('not sent', notSent.length),
    ...describeFailures(notSent, contacts),
    row('requests', requests),
    row('credits', `${creditsBefore} before, ${creditsAfter} after`),
    row('seconds', `${execution.seconds.toFixed(1)}, of which ${sendingSeconds.toFixed(1)} for sending`),
  ].join('\n');
}

/** Where a person finds editor and inbox. */
export function describeAddresses(editor: string, inbox: string, owner: Owner): string {
  return [row('editor', editor), row('login', `${owner.email}  ${owner.password}`), row('inbox', inbox)].join('\n');
}

/** One line for one check. */
export function describeCheck({ name, difference }: Check): string {
  return difference === '' ? `ok     ${name}` : `not ok ${name}: ${difference}`;
}

function describeFailures(notSent: Outcome['notSent'], contacts: Contact[]): string[] {
  const codes = [...new Set(notSent.map(({ code }) => code))];
  const groups = codes.map((code) => ({ code, failures: notSent.filter((failure) => failure.code === code) }));
  return groups.flatMap(({ code, failures }) => [
    `    ${failures.length} × ${code === '' ? 'no code' : code}`,
    ...failures.slice(0, SHOWN_PER_REASON).map(({ item, reason }) => {
      const phone = item === undefined ? '' : ` ${JSON.stringify(contacts[item]?.phone ?? '')}`;
      return `      contact ${item === undefined ? 'unknown' : item + 1}${phone}: ${reason}`;
    }),
    ...(failures.length > SHOWN_PER_REASON ? [`      and ${failures.length - SHOWN_PER_REASON} more`] : []),
  ]);
}

function row(name: string, value: string | number): string {
  return `  ${name.padEnd(10)}${value}`;
}
