import { addTo, isObject } from '../../api/objects';
import type { Failure } from '../../failures/failure';
import type { Failed, Origin, SkipReason } from '../../messages/row';
import type { Summary } from './summary';

// The sentences about a run that make up hint, log and error; safe to render as HTML.

/** How many items, reasons and fields are named. */
const FIRST = 5;
/** A model can't look at items, so it gets the entries that it can send again. */
const FIRST_FOR_MODELS = 100;

/** The summary in words, for the hint over the output and the log. */
export function summaryText(summary: Summary): string {
  const [first, ...others] = summary.reasons;
  if (first !== undefined && others.length === 0 && isNothing(summary)) {
    return `Nothing was sent: ${withinSentence(first.failure)}.`;
  }
  return inSentences(countsText(summary), summary.reasons.length > 0 && reasonsText(summary), contentsText(summary));
}

/** Whether the run achieved nothing: no message may have been sent, and none was skipped. */
export function isNothing(summary: Summary): boolean {
  const { sent, notSent, uncertain, skipped, planned } = summary;
  return planned === null && notSent > 0 && sent + uncertain + skipped.size === 0;
}

/** How many messages had which outcome, and the credits and requests that they took. */
export function countsText(summary: Summary): string {
  if (isNothing(summary)) return 'Nothing was sent.';
  const { sent, resumed, notSent, uncertain, skipped, planned, isTest, creditsUsed, creditsLeft } = summary;
  const inAll = resumed > 0 ? `${sent} sent (${resumed} of them in an earlier attempt)` : `${sent} sent`;
  const outcomes = [
    (sent > 0 || planned === null) && inAll,
    notSent > 0 && `${notSent} ${planned === null ? 'not' : "can't be"} sent`,
    uncertain > 0 && `${uncertain} uncertain (may have been sent)`,
    ...Array.from(skipped, ([reason, count]) => `${count} skipped because ${WHY_SKIPPED[reason]}`),
  ].filter(Boolean);
  if (planned === null) {
    const cost = [
      creditsUsed > 0 && `${counted(creditsUsed, 'credit')} used`,
      creditsLeft !== null && `${creditsLeft} left`,
      counted(summary.requests, 'request'),
    ].filter(Boolean);
    return `${isTest ? 'Test run: ' : ''}${[...outcomes, ...cost].join(', ')}.`;
  }
  const { messages, requests } = planned;
  // Each message costs 1 credit (API 4.3).
  const cost = messages === 0 ? '' : ` in ${counted(requests, 'request')}, for ${counted(messages, 'credit')}`;
  const plan = `Dry run: ${counted(messages, 'message')} would be sent${cost}`;
  return `${plan}${outcomes.length === 0 ? '' : `; ${outcomes.join(', ')}`}. Nothing ${sent + uncertain > 0 ? 'more ' : ''}was sent.`;
}

const WHY_SKIPPED: Readonly<Record<SkipReason, string>> = {
  duplicate: "of 'Duplicate Messages'",
  sent_before: 'already sent',
  may_have_been_sent: 'an earlier execution may have sent them',
  empty_field: "of 'Empty Fields'",
  opted_out: "of 'Never Send To'",
  outside_window: "of 'Send Window'",
  test_run: "of 'Test Run'",
};

export function reasonsText({ reasons, planned }: Summary, forModel = false): string {
  const sentences = reasons.slice(0, FIRST).map(({ kind, failure, origins }) => {
    const notSent = planned !== null ? "can't be" : origins.length === 1 ? 'was not' : 'were not';
    const outcome = kind === 'uncertain' ? 'may have been' : notSent;
    return `${placesText(origins, forModel)} ${outcome} sent: ${withinSentence(failure)}.`;
  });
  const more = reasons.slice(FIRST);
  const others = more.reduce((sum, { origins }) => sum + origins.length, 0);
  const named = more.slice(0, FIRST).map(({ failure }) => withinSentence(failure));
  return inSentences(
    ...sentences,
    others > 0 && `For other reasons: ${others} more (${named.join('; ')}${more.length > FIRST ? '; …' : ''}).`,
    sentences.length > 0 && 'Numbering starts at 0.',
  );
}

/** The first items, or entries of their lists, and how many more: `Items 0, 3 and 195 more`, `Entry 4 of item 2`. */
function placesText(origins: readonly Origin[], forModel: boolean): string {
  const most = forModel ? FIRST_FOR_MODELS : FIRST;
  const numbers = new Map<number | null, number[]>();
  for (const { item, entry } of origins.slice(0, most)) {
    addTo(numbers, entry === null ? null : item, entry ?? item);
  }
  const texts = Array.from(numbers, ([item, list]) => {
    const [one, many] = item === null ? ['item', 'items'] : ['entry', 'entries'];
    // A model's call has only one item.
    const ofItem = item === null || forModel ? '' : ` of item ${item}`;
    return `${list.length === 1 ? one : many} ${list.join(', ')}${ofItem}`;
  });
  const text = `${texts.join(', ')}${origins.length > most ? ` and ${origins.length - most} more` : ''}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A reason inside a sentence begins with a small letter, unless it begins with a name. */
function withinSentence({ message }: Failure): string {
  return escaped(message.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()));
}

/** A reason can contain n8n's words about an expression, and a field can have any name. */
function escaped(text: string): string {
  return text.replaceAll('<', '&lt;');
}

/**
 * What running the step again would send a second time; empty if that is nothing, because nothing was or may have been sent
 * to a recipient, or a later run skips it.
 */
export function secondSendText({ sent, uncertain, isRemembered, isTest, planned }: Summary): string {
  if (isRemembered || isTest || planned !== null || sent + uncertain === 0) return '';
  const kinds = [sent > 0 && `${sent} sent`, uncertain > 0 && `${uncertain} uncertain`].filter(Boolean);
  return `Don't run this step again: it would send the ${kinds.join(' and ')} message${sent + uncertain === 1 ? '' : 's'} again.`;
}

/** What may be wrong although messages can be sent: repeated numbers, empty fields, opt-outs, guessed countries. */
function contentsText(summary: Summary): string {
  const { numbersWithSeveral, emptyFields, placeholders, alike, optOuts, codes, planned } = summary;
  const sentences: string[] = [];
  if (numbersWithSeveral > 0) {
    const went = planned === null ? 'went' : 'would go';
    sentences.push(`More than one message ${went} to ${counted(numbersWithSeveral, 'number')}.`);
  }
  if (emptyFields.size > 0) {
    const fields = [...emptyFields].sort(([, a], [, b]) => b - a);
    const named = fields.slice(0, FIRST).map(([name, count]) => `'${escaped(name)}' in ${counted(count, 'message')}`);
    const others = fields.length > FIRST ? ` and ${fields.length - FIRST} more` : '';
    const isAsked = summary.skipped.has('empty_field');
    const toSkip = isAsked ? '' : "; to skip such messages, add the option 'Empty Fields'";
    sentences.push(
      `Empty fields: ${named.join(', ')}${others}. To fill a gap, write {{ $json.name || 'there' }}${toSkip}.`,
    );
  }
  if (placeholders.length > 0) {
    const places = placesText(placeholders, false).toLowerCase();
    sentences.push(
      `Texts with a placeholder such as {name}, or code such as &lt;br> or \\n, are sent as they are: ${places}. n8n fills in only expressions such as {{ $json.name }}.`,
    );
  }
  if (alike > 0) sentences.push(`All ${alike} messages have the same text, although 'Message' is an expression.`);
  if (optOuts === 0) sentences.push("'Never Send To' is empty, so nobody is left out.");
  else if (optOuts !== null) sentences.push(`'Never Send To' has ${counted(optOuts, 'number')}.`);
  if (codes.size > 0) {
    const ranked = [...codes].sort(([, a], [, b]) => b - a);
    const named = ranked.map(([code, count], index) => `${code} (${index === 0 ? counted(count, 'number') : count})`);
    const others = named.length > FIRST ? [`${named.length - FIRST} more`] : [];
    const all = new Intl.ListFormat('en-GB').format([...named.slice(0, FIRST), ...others]);
    const noun = named.length > 1 ? 'codes' : 'code';
    sentences.push(`Numbers without + were read with the country ${noun} ${all}.`);
  }
  return sentences.join(' ');
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const CHECK_FIRST =
  'The message may have been sent: check with the recipient or in the service before you send it again.';

/** What to do about a failure, with the service's own words; safe to render as HTML. */
export function descriptionOf({ advice, serviceSays }: Failure, outcome: Failed['kind'] = 'not_sent'): string {
  const toDo = outcome === 'uncertain' ? [CHECK_FIRST, advice] : [advice || 'Try again later.'];
  const quoted = serviceSays && `The service says: ${serviceSays}${/[.!?…]$/.test(serviceSays) ? '' : '.'}`;
  return inSentences(...toDo, quoted);
}

/** Why n8n could not give a value: n8n's words and the node that it blames, without a full stop. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  const { messageTemplate, nodeCause } = 'context' in error && isObject(error.context) ? error.context : {};
  // The editor would fill in text in braces or between percent signs.
  const isWhole = typeof messageTemplate === 'string' && !/\{\{|%%/.test(messageTemplate);
  const words = (isWhole ? messageTemplate : error.message).trim().replace(/\.$/, '');
  return typeof nodeCause !== 'string' || words.includes(nodeCause) ? words : `${words} ('${nodeCause}')`;
}

/** What the editor shows as paragraphs. */
export function inParagraphs(...paragraphs: readonly string[]): string {
  return paragraphs.filter(Boolean).join('<br><br>');
}

/** Joins sentences, without empty ones. */
export function inSentences(...sentences: ReadonlyArray<string | false>): string {
  return sentences.filter(Boolean).join(' ');
}
