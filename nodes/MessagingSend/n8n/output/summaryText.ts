import { withinSentence } from './failureText';
import { type Cause, countAll, type SkipReason, type Summary } from './summary';

/** The summary in words, for the hint over the output and the log. */
export function summaryText(summary: Summary): string {
  const { notSent, uncertain, planned, numbers, emptyFields } = summary;
  const isNothing = planned === null && notSent.messages > 0 && countAll(summary) === notSent.messages;
  const failed = planned === null ? 'Not sent' : "Can't be sent";
  return [
    isNothing ? `Nothing was sent: ${causeText(notSent)}.` : '',
    planned === null ? countsText(summary, isNothing) : dryRunText(summary, planned),
    notSent.messages > 0 && !isNothing ? `${failed}: ${causeText(notSent)}.` : '',
    uncertain.messages > 0 ? `Uncertain: ${causeText(uncertain)}.` : '',
    numbers === null ? '' : numbersText(numbers, planned === null ? 'went' : 'would go'),
    summary.skipped.has('empty_field') ? '' : emptyFieldsText(emptyFields),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function countsText(summary: Summary, isNothing: boolean): string {
  const { sent, resumed, notSent, uncertain, creditsUsed, creditsLeft, requests, waited, isTest } = summary;
  const inAll = resumed > 0 ? `${sent} sent (${resumed} of them in an earlier attempt)` : `${sent} sent`;
  const parts = [
    isNothing ? '' : inAll,
    notSent.messages > 0 ? `${notSent.messages} not sent` : '',
    uncertain.messages > 0 ? `${uncertain.messages} uncertain (may have been sent)` : '',
    ...skippedTexts(summary),
    creditsUsed > 0 ? `${counted(creditsUsed, 'credit')} used` : '',
    creditsLeft === null ? '' : `${creditsLeft} left`,
    counted(requests, 'request'),
    waited >= 500 ? `${durationText(waited)} spent waiting for the rate limit` : '',
  ];
  return `${isTest ? 'Test run: ' : ''}${joined(parts)}.`;
}

function dryRunText(summary: Summary, { messages, requests }: NonNullable<Summary['planned']>): string {
  const { resumed, notSent, uncertain } = summary;
  // Each message costs 1 credit (API 4.3).
  const cost = messages === 0 ? '' : ` in ${counted(requests, 'request')}, for ${counted(messages, 'credit')}`;
  const rest = joined([
    notSent.messages > 0 ? `${notSent.messages} can't be sent` : '',
    uncertain.messages > 0 ? `${uncertain.messages} uncertain (may have been sent)` : '',
    ...skippedTexts(summary),
    resumed > 0 ? `${resumed} already sent in an earlier attempt` : '',
  ]);
  const plan = `Dry run: ${counted(messages, 'message')} would be sent${cost}`;
  const nothing = resumed + uncertain.messages > 0 ? 'Nothing more was sent.' : 'Nothing was sent.';
  return `${plan}${rest === '' ? '' : `; ${rest}`}. ${nothing}`;
}

function skippedTexts({ skipped, emptyFields }: Summary): string[] {
  const fields = fieldNames(emptyFields);
  const why: Record<SkipReason, (count: number) => string> = {
    duplicate: (count) => `as ${count === 1 ? 'a duplicate' : 'duplicates'}`,
    sent_before: (count) => `because ${count === 1 ? 'it was' : 'they were'} sent before`,
    empty_field: () => `because ${fields} ${emptyFields.size === 1 ? 'is' : 'are'} empty`,
    opted_out: () => "because of 'Never Send To'",
    outside_window: () => "because of 'Send Window'",
    test_run: () => "because of 'Test Run'",
  };
  const reasons = Object.keys(why) as SkipReason[];
  return reasons.flatMap((reason) => {
    const count = skipped.get(reason);
    return count === undefined ? [] : [`${count} skipped ${why[reason](count)}`];
  });
}

/** The most frequent reason, and how many messages have others. */
function causeText({ messages, mainReason, withMainReason }: Cause): string {
  const reason = withinSentence(mainReason);
  const others = messages - withMainReason;
  return others === 0 ? reason : `${withMainReason} × ${reason}; ${others} for other reasons (see each item)`;
}

function numbersText({ all, withSeveral }: NonNullable<Summary['numbers']>, went: 'went' | 'would go'): string {
  if (all === 1) return `All messages ${went} to 1 number.`;
  return `More than one message ${went} to ${counted(withSeveral, 'number')}.`;
}

const MAX_FIELDS = 3;

function fieldNames(fields: Summary['emptyFields']): string {
  const names = [...fields.keys()].slice(0, MAX_FIELDS).map((name) => `'${name}'`);
  return `${names.join(', ')}${fields.size > MAX_FIELDS ? ' and others' : ''}`;
}

function emptyFieldsText(fields: Summary['emptyFields']): string {
  const sentences = [...fields]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_FIELDS)
    .map(([name, count]) => `${counted(count, 'message')} ${count === 1 ? 'has' : 'have'} nothing for '${name}'.`);
  const more = fields.size - sentences.length;
  return [
    ...sentences,
    ...(more > 0 ? [`${counted(more, 'other field')} ${more === 1 ? 'is' : 'are'} empty as well.`] : []),
  ].join(' ');
}

/** What running the step again would send a second time; empty if nothing. */
export function secondSendText({ sent, uncertain: all, uncertainDuplicates, isRemembered }: Summary): string {
  const uncertain = all.messages - uncertainDuplicates;
  if (isRemembered || sent + uncertain === 0) return '';
  const doubtful = uncertain === 1 ? 'the uncertain message' : `the ${uncertain} uncertain messages`;
  if (sent === 0) return `Running this step again sends ${doubtful} again.`;
  const again = sent === 1 ? 'that message' : `the ${sent} messages`;
  return `Running this step again sends ${again} again${uncertain > 0 ? `, and ${doubtful}` : ''}.`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
