import { addTo, isObject } from '../../api/objects';
import type { Failure } from '../../failures/failure';
import type { Failed, Origin, SkipReason } from '../../messages/row';
import type { Summary } from './summary';

// The sentences about a run that make up hint, log and error; safe to render as HTML.

/** How many items, reasons and fields are named. */
const FIRST = 5;
/** A model can't look at items, so it gets the entries that it can send again. */
const FIRST_FOR_MODELS = 100;

/**
 * The summary in words, for the hint over the output and the log: what was sent, what to do, a line for each reason, and
 * what may be wrong all the same.
 */
export function summaryLines(summary: Summary, toDo = ''): string[] {
  const [first, ...others] = summary.reasons;
  if (first !== undefined && others.length === 0 && summary.isNothing) {
    return [`Nothing was sent: ${withinSentence(first.failure)}.`, escaped(first.failure.advice)].filter(Boolean);
  }
  const reasons = first === undefined ? [] : reasonLines(summary);
  return [...countsLines(summary), toDo, ...reasons, ...contentsLines(summary)].filter(Boolean);
}

/** How many messages had which outcome, and the credits and requests that they took. */
export function countsLines(summary: Summary): string[] {
  if (summary.isNothing) return ['Nothing was sent.'];
  const { sent, resumed, notSent, heldBack, uncertain, skipped, planned, isTest, creditsUsed, creditsLeft } = summary;
  const inAll = resumed > 0 ? `${sent} sent (${resumed} of them in an earlier attempt)` : `${sent} sent`;
  const outcomes = [
    (sent > 0 || planned === null) && inAll,
    notSent > 0 && (planned === null ? `${notSent} not sent` : `${notSent - heldBack} can't be sent`),
    planned !== null && heldBack > 0 && `${heldBack} held back because of them`,
    uncertain > 0 && `${uncertain} uncertain (may have been sent)`,
    ...Array.from(skipped, ([reason, count]) => `${count} skipped because ${WHY_SKIPPED[reason]}`),
  ].filter(Boolean);
  if (planned === null) {
    const cost = [
      creditsUsed > 0 && `${counted(creditsUsed, 'credit')} used`,
      creditsLeft !== null && `${creditsLeft} left`,
      counted(summary.requests, 'request'),
    ].filter(Boolean);
    const { charged } = summary;
    const paid =
      charged &&
      `By the balance, ${charged.used} of ${counted(charged.of, 'text')} without an answer used a credit so far${charged.used < charged.of ? '; the service may still send others' : ''}. If anything else used or topped up the account meanwhile, this is wrong.`;
    return [`${isTest ? 'Test run: ' : ''}${[...outcomes, ...cost].join(', ')}.`, paid ?? ''];
  }
  const { messages, people, credits, requests } = planned;
  // The person of a duplicate gets the message all the same.
  const duplicates = skipped.get('duplicate') ?? 0;
  const others = [...skipped.values()].reduce((sum, count) => sum + count, notSent - duplicates);
  const each = messages === people ? 'this message' : counted(messages, 'message');
  const all = people === 1 ? '1 person' : `${people} people`;
  const who = messages === 0 ? 'Nobody would get a message' : `${all} would get ${each}`;
  const tooFew = summary.isTooExpensive ? ", so with 'Check Credits First' nothing would be sent" : '';
  const balance = creditsLeft === null ? '' : `; ${counted(creditsLeft, 'credit')} left${tooFew}`;
  const cost =
    messages === 0 ? '' : ` It would take ${counted(credits, 'credit')} and ${counted(requests, 'request')}${balance}.`;
  return [
    `${who}${others > 0 && messages > 0 ? `, ${others} would not` : ''}.`,
    `Dry run: nothing ${sent + uncertain > 0 ? 'more ' : ''}was sent.${cost}`,
    outcomes.length > 0 ? `${outcomes.join(', ')}.` : '',
  ];
}

const WHY_SKIPPED: Readonly<Record<SkipReason, string>> = {
  duplicate: "of 'Duplicate Messages'",
  sent_before: 'already sent',
  may_have_been_sent: 'perhaps already sent',
  empty_field: "of 'Empty Fields'",
  opted_out: "of 'Never Send To'",
  outside_window: "of 'Send Window'",
  test_run: "of 'Test Run'",
};

/** A line for each reason why messages were not sent, or may have been: with how many and where. */
export function reasonLines({ reasons, planned }: Summary, forModel = false): string[] {
  const most = forModel ? FIRST_FOR_MODELS : FIRST;
  const lines = reasons.slice(0, most).map(({ kind, failure, origins }) => {
    const outcome = kind === 'uncertain' ? 'may have been sent' : planned === null ? 'not sent' : "can't be sent";
    return `${origins.length} ${outcome}: ${withinSentence(failure)} (${placesText(origins, forModel)}).`;
  });
  const more = reasons.slice(most);
  const others = more.reduce((sum, { origins }) => sum + origins.length, 0);
  const named = more.slice(0, FIRST).map(({ failure }) => withinSentence(failure));
  if (others > 0) lines.push(`${others} for other reasons: ${named.join('; ')}${more.length > FIRST ? '; …' : ''}.`);
  return [...lines, `${forModel ? 'Entries' : 'Items'} are numbered from 0.`];
}

/** The first items, or entries of their lists, and how many more: `items 0, 3 and 195 more`, `entry 4 of item 2`. */
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
  return `${texts.join(', ')}${origins.length > most ? ` and ${origins.length - most} more` : ''}`;
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
 * What running the step again would send a second time, or that it sends what is left, where a later run skips what was
 * sent; empty if nothing was or may have been sent to a recipient, or nothing is left.
 * @param cause of what is left, in the sentence before or a line below
 * @param rest how to send what is left all the same, or what to do about uncertain messages
 */
export function nextText(summary: Summary, cause: string, rest: string): string {
  const { sent, uncertain, notSent, isRemembered, isTest, planned, content } = summary;
  if (isRemembered && notSent > 0 && !summary.isNothing)
    return `Once ${cause} is fixed, execute the workflow again: it sends what is left, and messages whose ${content} has changed.`;
  if (isTest || planned !== null || sent + uncertain === 0) return '';
  if (isRemembered) return uncertain > 0 ? rest : '';
  const kinds = [sent > 0 && `${sent} sent`, uncertain > 0 && `${uncertain} uncertain`].filter(Boolean);
  const again = `Don't run this step again: it would send the ${kinds.join(' and ')} message${sent + uncertain === 1 ? '' : 's'} again.`;
  return inSentences(again, rest);
}

/** What may be wrong although messages can be sent: repeated numbers, empty fields, opt-outs, guessed countries. */
function contentsLines(summary: Summary): string[] {
  const { doubtful, numbersWithSeveral, emptyFields, placeholders, alike, landlines, optOuts, codes, planned } =
    summary;
  const numbered = summary.reasons.length === 0 ? ' (counted from 0)' : '';
  const went = planned === null ? 'went' : 'would go';
  const fields = [...emptyFields].sort(([, a], [, b]) => b - a);
  const gaps = fields.map(([name, count]) => `'${escaped(name)}' in ${counted(count, 'message')}`);
  const [field = 'name'] = fields.find(([name]) => /^[a-z_]\w*(?:\.[a-z_]\w*)*$/i.test(name)) ?? [];
  // Without ?., n8n writes nothing where the object is missing, too.
  const filled = `{{ $json.${field.replaceAll('.', '?.')} || 'there' }}`;
  const toSkip = summary.skipped.has('empty_field') ? '' : "; to skip such messages, add the option 'Empty Fields'";
  const ranked = [...codes].sort(([, a], [, b]) => b - a);
  const guessed = ranked.map(([code, count], index) => `${code} (${index === 0 ? counted(count, 'number') : count})`);
  return [
    doubtful.length > 0 &&
      `Another run may have sent the messages of ${placesText(doubtful, false)}${numbered}: ask the recipients. To send one again, run it alone with another 'Message Key'.`,
    numbersWithSeveral > 0 && `More than one message ${went} to ${counted(numbersWithSeveral, 'number')}.`,
    gaps.length > 0 && `Empty fields: ${firstOf(gaps)}. To fill a gap, write ${filled}${toSkip}.`,
    placeholders.length > 0 &&
      `Texts with a placeholder such as {name}, or code such as &lt;br> or \\n, are sent as they are: ${placesText(placeholders, false)}. n8n fills in only expressions such as {{ $json.name }}.`,
    alike > 0 && `All ${alike} messages have the same text, although 'Message' is an expression.`,
    landlines > 0 &&
      `Landlines among the numbers: ${landlines}. To leave them out, set 'Number Check' to 'Mobile Numbers Only'.`,
    optOuts === 0 && "'Never Send To' is empty, so nobody is left out.",
    optOuts !== null && optOuts > 0 && `'Never Send To' has ${counted(optOuts, 'number')}.`,
    guessed.length > 0 &&
      `Numbers without + were read with the country code${guessed.length > 1 ? 's' : ''} ${firstOf(guessed)}.`,
  ].filter((line) => line !== false);
}

/** The first of them, and how many more. */
function firstOf(texts: readonly string[]): string {
  const more = texts.length - FIRST;
  return `${texts.slice(0, FIRST).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const CHECK_FIRST = 'The message may have been sent: ask the recipient before you send it again.';

/** What to do about a failure, with the service's own words; safe to render as HTML. */
export function descriptionOf({ advice, serviceSays }: Failure, outcome: Failed['kind'] = 'not_sent'): string {
  const toDo = outcome === 'uncertain' ? [CHECK_FIRST, escaped(advice)] : [escaped(advice) || 'Try again later.'];
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

/** Joins sentences, without empty ones. */
export function inSentences(...sentences: ReadonlyArray<string | false>): string {
  return sentences.filter(Boolean).join(' ');
}
