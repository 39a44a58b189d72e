import { CATALOGUE, type SendAgain } from '../../nodes/MessagingSend/failures/catalogue';
import { table } from './table';

/** What a code means, and what to do. */
type Line = readonly [meaning: string, advice: string];

const ADDRESS = 'Check the Base URL: it ends in `/v1` or `/api/v1`.';
const LATER = 'Wait until the service works again, then send the rest.';
const AFTER_A_KILL = 'See [If n8n is killed](retries.md#if-n8n-is-killed).';
const CHECK = 'Check the message.';

/** The lines of docs/errors.md: shorter than the catalogue, because n8n shows its texts when an error occurs. */
const LINES: Readonly<Record<SendAgain, Readonly<Record<string, Line>>>> = {
  safe: {
    INVALID_PHONE: [
      'The number is missing, or nobody can have it.',
      'Correct it. [Phone numbers](phone-numbers.md) says how numbers are read.',
    ],
    INVALID_MESSAGE: ['The text is empty, too long, or an expression that was not evaluated.', 'Correct it.'],
    INVALID_MESSAGES: [
      "'Messages' is not a list, or an entry is not an object.",
      'Enter a list such as `[{ "phone": "447700900123", "message": "Hello" }]`.',
    ],
    INVALID_PARAMETER: ["A parameter's value for this item can't be used.", 'Correct what the message names.'],
    NOT_SET_UP: [
      'An option, the credential or the place of the node is wrong, so nothing can be sent.',
      'Correct what the message names.',
    ],
    INVALID_API_KEY: [
      'The service does not know the API key, or received none (`MISSING_API_KEY`).',
      'Copy the key from your account settings to the credential. Each messaging instance has its own.',
    ],
    INSUFFICIENT_CREDITS: ['There are not enough credits.', 'Top up the account, then send the rest.'],
    VALIDATION_ERROR: ['The service rejected a value.', 'Correct what it names.'],
    RATE_LIMITED: [
      "Too many requests, for longer than 'Max Wait (Minutes)'.",
      'Use Send Bulk, or see [Limits](how-sending-works.md#limits).',
    ],
    NOT_ACCEPTED: ['The service took the request, but did not send this message.', 'Check its number and text.'],
    REDIRECTED: ['The address has moved. Redirects are not followed.', 'Enter the new address as Base URL.'],
    NOT_FOUND: ['The service does not know the address.', ADDRESS],
    FORBIDDEN: [
      'The service, or a firewall before it, refuses the request or this message.',
      'Check what the key may do, and whether a firewall blocks a link or a word in the text.',
    ],
    'HTTP_4…': ['The service rejected the request.', 'Correct what it names, or ask its support.'],
    UNREADABLE_ANSWER: ['The service did not report the credits.', `${ADDRESS} Or switch off 'Check Credits First'.`],
    NOT_RESERVED: [
      "n8n's database took no note of the message. Without it, a retry could send twice.",
      "Check that n8n's database runs and its disk is not full, then send the rest.",
    ],
    SERVICE_DOWN: ['The run ended because of an [outage](how-sending-works.md#outages).', LATER],
    NOT_STARTED: ['Another request had ended the run before.', 'Correct its cause, then send the rest.'],
    STOPPED: ['Somebody stopped the run before.', 'Send the rest in a new execution.'],
    TIMEOUT: ['The trigger could not read the balance in time.', 'Nothing: the next check tries again.'],
  },
  checkFirst: {
    TIMEOUT: ['The service did not answer in time.', "If it is slow, raise 'Timeout' under Request Options."],
    CONNECTION_LOST: ['The connection broke before the response.', 'Check the network of n8n.'],
    'HTTP_…': ['The service (`SERVER_ERROR`), or a gateway before it, gave no result.', CHECK],
    UNREADABLE_ANSWER: ['The response is not from this API.', ADDRESS],
    NOT_LISTED: ['The response does not mention this message.', CHECK],
    NOT_CONFIRMED: ['The response does not confirm that this message was sent.', CHECK],
    PARTLY_SENT: ['Only some parts of a [long text](how-sending-works.md#long-texts) were certainly sent.', CHECK],
    STOPPED: ['Somebody stopped the run while the request was in flight.', CHECK],
    INTERRUPTED: ["n8n was killed, another Retry has run since, or n8n's database can't be read.", AFTER_A_KILL],
    RESERVED: ['Another execution started to send this message.', "If it was not sent, change its 'Message Key'."],
    LINK_LOST: ['The message was sent earlier, and its link no longer works.', 'Ask again in a new execution.'],
    UNCERTAIN: [
      'Something was sent to this number earlier, perhaps this message with another text.',
      'If it did not arrive, send it in a new execution.',
    ],
    ANOTHER_RETRY: [
      'Another Retry is running, so this one sends no more.',
      "Wait for its end: its execution shows each message's outcome.",
    ],
    NOT_SET_UP: [
      "'Dry Run' or 'Test Run' is on in a retry, which therefore sent nothing.",
      'Remove the option, save, and choose **Retry with currently saved workflow**.',
    ],
  },
};

/** The code of another failure; codes of network failures, which the page lists by their cause. */
const NOT_HERE = ['…', 'UNREACHABLE_…'];

/** Two tables: codes after which sending again is safe, and codes after which a message may have been sent. */
export function errorParts(): Record<string, string> {
  return { 'not-sent': linesOf('safe'), uncertain: linesOf('checkFirst') };
}

function linesOf(sendAgain: SendAgain): string {
  const entries = Object.values(CATALOGUE).filter((entry) => entry.sendAgain === sendAgain);
  const codes = new Set<string>(entries.map(({ code }) => code).filter((code) => !NOT_HERE.includes(code)));
  const lines = LINES[sendAgain];
  const wrong = [
    ...[...codes].filter((code) => lines[code] === undefined),
    ...Object.keys(lines).filter((code) => !codes.has(code)),
  ];
  if (wrong.length > 0) throw new Error(`tools/docs/errors.ts lacks, or alone has, the codes ${wrong.join(', ')}`);
  return table(
    ['Code', 'What it means', 'What to do'],
    Object.entries(lines).map(([code, line]) => [`\`${code}\``, ...line]),
  );
}
