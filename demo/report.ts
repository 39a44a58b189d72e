import { type Contact } from '../tools/n8n/examples/contacts';
import { type NotSent, type Outcome } from './run';

const SHOWN_PER_CODE = 5;

/** The result of a run, for a person to read. */
export function describeOutcome(outcome: Outcome, contacts: Contact[]): string {
  const { sent, notSent, sentBefore, requests, creditsBefore, creditsAfter, execution, sendingSeconds } = outcome;
  return [
    ...(execution.status === 'success' ? [] : [row('execution', `${execution.status} ${execution.error}`)]),
    row('contacts', contacts.length),
    // An item without a message id is one that n8n passed on when the node failed.
    row('sent', sent.filter(({ messageId }) => Number.isInteger(messageId)).length),
    ...(sentBefore === 0 ? [] : [row('sent before', sentBefore)]),
    row('not sent', notSent.length),
    ...describeNotSent(notSent, contacts),
    row('requests', requests),
    row('credits', `${creditsBefore} before, ${creditsAfter} after`),
    row('seconds', sendingSeconds.toFixed(1)),
  ].join('\n');
}

function describeNotSent(notSent: NotSent[], contacts: Contact[]): string[] {
  const codes = [...new Set(notSent.map(({ code }) => code))];
  return codes.flatMap((code) => {
    const alike = notSent.filter((failure) => failure.code === code);
    return [
      `    ${alike.length} × ${code === '' ? 'no code' : code}`,
      ...alike.slice(0, SHOWN_PER_CODE).map(({ item, reason }) => {
        const phone = item === undefined ? '' : ` ${JSON.stringify(contacts[item]?.phone ?? '')}`;
        return `      contact ${item === undefined ? 'unknown' : item + 1}${phone}: ${reason}`;
      }),
      ...(alike.length > SHOWN_PER_CODE ? [`      and ${alike.length - SHOWN_PER_CODE} more`] : []),
    ];
  });
}

function row(name: string, value: string | number): string {
  return `  ${name.padEnd(12)}${value}`;
}
