const invalidPhone = withCode('INVALID_PHONE');
const invalidMessage = withCode('INVALID_MESSAGE');
const invalidList = withCode('INVALID_MESSAGES');
const invalidParameter = withCode('INVALID_PARAMETER');
const notSetUp = withCode('NOT_SET_UP', 'run');
const unreachable = withCode('UNREACHABLE_…', 'run');

const IF_EXPRESSION = 'If an expression gives the value, check it for this item.';
const THEN_TRY_AGAIN = 'Then try again.';
// With On Error: Continue, n8n counts the execution as a success and offers no Retry.
const THEN_SEND_THE_REST =
  'Then use Retry in the executions list; if n8n offers none, start a new execution with only the items that were not sent.';

const WITH_COUNTRY_CODE = 'Write it with + and its country code, such as +447700900123 for 07700 900123.';
/** Only where the option isn't set. */
const ADD_CODE =
  "Write it with its country code, such as +447700900123 for 07700 900123, or set the option 'Default Country Code'.";
const ONE_NUMBER = 'Enter one number with + and its country code, such as +447700900123.';
const CHECK_BASE_URL = 'Check the Base URL: it ends in /v1 or /api/v1.';
// Without 'Never Send To' or 'Dry Run', messages would be sent.
const CORRECT_OPTION = 'Correct the option.';
const CORRECT_CREDENTIAL = `Correct the credential. ${IF_EXPRESSION}`;
const TO_EXPRESSION = 'Switch it from Fixed to Expression.';
const LIST_FORM = 'Enter a list such as [{ "phone": "+447700900123", "message": "Hello" }].';
const FORMAT_AS_TEXT = 'In the spreadsheet, format the column as text and enter the numbers again.';
const ENTER_KEY = 'Copy the API key from your account settings to the credential.';

/** Every failure that this node reports: code, what happened, what to do. `{name}` is filled in for each case. */
export const CATALOGUE = {
  // The input can't be sent.

  phoneEmpty: invalidPhone(
    'The phone number is empty',
    'Fill in the number, or remove the item. If no item has one, choose another field: those of a webhook begin with $json.body.',
  ),
  phoneNotText: invalidPhone(
    'The phone number is a list or an object',
    'Refer to the field within it that contains the number, such as {{ $json.phones[0] }} or {{ $json.phone.number }}.',
  ),
  phoneScientific: invalidPhone(
    'The phone number is in scientific notation (such as 4.47E+11), so the spreadsheet has lost digits',
    FORMAT_AS_TEXT,
  ),
  phoneNegative: invalidPhone('The phone number is negative: a spreadsheet read it as a calculation', FORMAT_AS_TEXT),
  /** `wrong` such as "is 'N/A'" or "contains 'x' (an extension?)". */
  phoneCharacters: invalidPhone('The phone number {wrong}', ONE_NUMBER),
  phoneNotEvaluated: invalidPhone('The phone number contains an expression that was not evaluated', TO_EXPRESSION),
  /** `start` such as "0". */
  phoneCountryCode: invalidPhone('The phone number begins with {start}, so its country code is missing', ADD_CODE),
  phoneNotGivenOut: invalidPhone(
    'The phone number is not a mobile number of {country}, whose code it begins with: its country code may be missing',
    `${ADD_CODE} If the code is right, write + before it.`,
  ),
  phoneNotOfCountry: invalidPhone(
    'The phone number is not a mobile number or landline of {country}',
    WITH_COUNTRY_CODE,
  ),
  phoneLength: invalidPhone('The phone number needs 7 to 15 digits', WITH_COUNTRY_CODE),
  phoneDate: invalidPhone('The phone number is a date', 'Enter the number, or refer to the field that has it.'),
  phoneSeveral: invalidPhone('The phone number is more than one number', ONE_NUMBER),
  phoneExtraDigits: invalidPhone(
    'The phone number has extra digits, such as an extension, decimal places or its country code twice',
    'Remove them. If all digits belong to the number, write it without spaces and dashes, with + and its country code.',
  ),
  phoneNotMobile: invalidPhone(
    'The phone number is not a mobile number of its country',
    "Check the number. To allow landlines, set the option 'Number Check' to On.",
  ),
  phoneCodeUnknown: invalidPhone('The phone number does not begin with a known country code', WITH_COUNTRY_CODE),
  /** `country` such as "212 (Morocco and others)", `lengths` such as "7, 9 or 10". */
  phoneImpossible: invalidPhone(
    'The phone number needs {lengths} digits after the country code {country}',
    'Check its digits. If it belongs to another country, write it with + and its country code, as in +447700900123. If the country has introduced numbers of another length, ask for the new one.',
  ),

  textEmpty: invalidMessage(
    'The message is empty',
    'Enter a text, or an expression with a field that the item has. A word such as undefined or #N/A alone counts as empty.',
  ),
  textNotText: invalidMessage(
    'The message is {kind}, not a text',
    "Refer to the field that contains the text. A date needs a format, such as {{ $now.toFormat('d MMMM') }}.",
  ),
  textNotEvaluated: invalidMessage(
    'The message contains an expression that was not evaluated',
    'Switch the field from Fixed to Expression, here or in the node that the text comes from. To send braces as they are, write a backslash before them: \\{{ … }}.',
  ),
  textOfObject: invalidMessage(
    'The message contains [object Object] in place of a text',
    'Refer to a field within the object, such as {{ $json.customer.name }}.',
  ),
  textTooLong: invalidMessage(
    'The message has {characters} characters, but at most {max} can be sent',
    "Shorten the text. In Send and Send Bulk, the option 'Long Messages' can split it.",
  ),
  textOfManyParts: invalidMessage('The message has {characters} characters: too many to split', 'Shorten the text.'),

  listNotList: invalidList(
    "'Messages' is not a list in JSON",
    `${LIST_FORM} Quotation marks and line breaks in texts break JSON, but not an expression that returns a list, such as {{ [{ phone: $json.phone, message: $json.text }] }}.`,
  ),
  /** `has` such as ", and has 'to', 'text'". */
  listEntryIncomplete: invalidList("The entry needs the fields 'phone' and 'message'", `${LIST_FORM}{has}`),

  /** `place` such as " in 'Phone'". */
  expressionFailed: invalidParameter("An expression{place} can't be evaluated: {reason}", 'Check it for this item.'),
  expressionTooLong: invalidParameter(
    'An expression{place} runs into a limit of n8n: {reason}',
    'Make its value in a Code node before this one, and only name the field here, such as {{ $json.list }}.',
  ),
  keyNotEvaluated: invalidParameter("'Message Key' contains an expression that was not evaluated", TO_EXPRESSION),
  countryCodeInvalid: invalidParameter(
    "'Default Country Code' is not a known country code, such as 44 or GB",
    `${CORRECT_OPTION} ${IF_EXPRESSION}`,
  ),
  /** `needed` such as "a text or a number from 'id', 'year'". */
  optionEmpty: invalidParameter(
    "'{option}' needs {needed}, and this item has none",
    'Fill it in, or use a field that every item has.',
  ),

  // The node is not set up.

  optionInvalid: notSetUp("'{option}' must be {needed}", CORRECT_OPTION),
  optionDiffers: notSetUp(
    "'{option}' holds for the whole run, but has one value for item 0 and another for item {item}",
    'Enter a value that is the same for all, or divide the items before this node.',
  ),
  optionUnreadable: notSetUp("'{option}' can't be read: {reason}", CORRECT_OPTION),
  optOutUnreadable: notSetUp(
    "Number {place} of {count} in 'Never Send To' can't be used: {reason}",
    'Write it with + and its country code: it could belong to somebody who opted out.',
  ),
  /** `fields` such as " 'List' has the fields 'Phone', 'Name'."; empty if they are not known. */
  optOutsEmpty: notSetUp(
    "'Never Send To' has no number in any of its entries",
    'Refer to the field that has the numbers.{fields} If nobody has opted out, give it an empty list.',
  ),
  optOutsNotList: notSetUp(
    "'Never Send To' is not a list of numbers",
    "Separate the numbers by commas, or use an expression that returns a list, such as {{ $('Opt-Outs').all().map((row) => row.json.phone) }}.",
  ),
  baseUrlInvalid: notSetUp(
    "'Base URL' in the credential is not an address such as https://api.example.com/v1, without user name and password",
    CORRECT_CREDENTIAL,
  ),
  apiKeyEmpty: notSetUp("'API Key' in the credential is empty", CORRECT_CREDENTIAL),
  apiKeyCharacters: notSetUp("The API key contains a character that can't be part of a key", ENTER_KEY),
  credentialUnreadable: notSetUp(
    "The credential can't be read: {reason}",
    `Select the credential in the node again. ${IF_EXPRESSION}`,
  ),
  sendOnceUnsaved: notSetUp("'Send Once, Also in Later Runs' works only in a saved workflow", 'Save the workflow.'),
  sendOnceUnsupported: notSetUp(
    "'Send Once, Also in Later Runs' does not work for an MCP server or a sub-agent",
    "Choose another value for the option 'Duplicate Messages', or let the tool call a workflow that contains this node.",
  ),
  sendOnceTooMany: notSetUp(
    "'Send Once, Also in Later Runs' remembers {limit} messages, and this run has {count}, so nothing was sent",
    'Divide the list between several of these nodes: each remembers {limit} messages.',
  ),
  operationUnknown: notSetUp(
    "'Resource' and 'Operation' must be chosen from their lists",
    "Choose them again: they can't be expressions.",
  ),
  engineUnsupported: notSetUp(
    "Sending needs n8n's engine v1, and this workflow runs on another engine",
    'In the workflow\'s JSON, remove "engineType" from "settings".',
  ),
  waitUnavailable: notSetUp(
    "'Send and Wait for Response' does not work as a tool that a model calls",
    'To have a person approve tool calls, add this node as a human review step of the AI Agent.',
  ),
  reviewerFromModel: notSetUp(
    "The model can't fill in 'Phone': it would choose who approves its calls",
    "Enter the number of the person who approves in 'Phone'.",
  ),
  reviewNotApproval: notSetUp(
    "'Response Type' must be Approval in human review: nothing else approves a call",
    'Add the review step to the agent again.',
  ),

  // The service rejected the request: nothing was sent.

  apiKeyInvalid: withCode('INVALID_API_KEY', 'run')(
    'The API key is not valid',
    `${ENTER_KEY} Each messaging instance has its own key.`,
  ),
  /** `figures` such as " (5 needed, 3 left)". */
  creditsTooLow: withCode('INSUFFICIENT_CREDITS', 'run')(
    'Not enough credits{figures}',
    'Top up the account, then send only what is left.',
  ),
  valueInvalid: withCode('VALIDATION_ERROR')('The service rejected {part}', 'Correct it, then try again.'),
  rateLimited: withCode('RATE_LIMITED', 'run')(
    'The rate limit is reached: the service allows 60 requests per minute for each API key',
    "Wait {wait}, then try again. Send Bulk needs fewer requests than Send. If other programs use the key, lower the option 'Requests per Minute' or raise 'Max Wait'.",
  ),
  messageNotAccepted: withCode('NOT_ACCEPTED')(
    'The service accepted the request, but did not send this message',
    'Check its number and text.',
  ),
  redirected: withCode('REDIRECTED', 'run')(
    'The address has moved (HTTP {status}), and redirects are not followed when sending',
    "Enter the new address{origin} as 'Base URL' in the credential.",
  ),
  notFound: withCode('NOT_FOUND', 'run')('The service does not know this address (HTTP {status})', CHECK_BASE_URL),
  forbidden: withCode('FORBIDDEN')(
    'The service, or a firewall in front of it, rejected the request (HTTP {status})',
    'Check in your account settings what this API key may do, and the number and text: a firewall can block a link or a word.',
  ),
  refusedWithStatus: withCode('HTTP_4…')(
    'The service rejected the request (HTTP {status})',
    'Correct what the service names as the reason. If it names none, ask its support.',
  ),

  // The credits were checked first: nothing was sent.

  creditsNotRead: withCode('…', 'run')(
    'Nothing was sent, because the credits could not be checked: {reason}',
    '{advice}',
  ),

  // n8n's database was not reached: nothing was sent.

  notReserved: withCode('NOT_RESERVED', 'run')(
    "n8n's database took no note of this message, and without it a retry could send it twice",
    `Check that n8n's database is running and its disk is not full. ${THEN_SEND_THE_REST}`,
  ),

  // The service was not reached: nothing was sent.

  hostUnknown: unreachable(
    "The host in the Base URL can't be found",
    `Check the Base URL for typos, and the DNS server of n8n's machine. ${THEN_TRY_AGAIN}`,
  ),
  notConnected: unreachable(
    "n8n can't connect to the service",
    `Check the Base URL, that the service is running, and the network, the proxy and the firewall of n8n's machine. ${THEN_TRY_AGAIN}`,
  ),
  notSecure: unreachable(
    "n8n can't make a secure connection to the service",
    `Check the Base URL: it may need to begin with http://. If the service's certificate is from your own authority, set NODE_EXTRA_CA_CERTS for n8n. ${THEN_TRY_AGAIN}`,
  ),
  notAllowed: unreachable(
    'n8n, or the machine it runs on, does not allow a connection to the service',
    "Ask the administrator of this n8n to allow the service's host.",
  ),

  // The message may have been sent.

  timeout: uncertainWithCode('TIMEOUT')(
    'The service did not answer in time',
    "If the service is slow, raise 'Timeout' under Request Options in this node's settings.",
  ),
  connectionLost: uncertainWithCode('CONNECTION_LOST')(
    'The connection to the service was lost before its response arrived',
    'Check the network between n8n and the service.',
  ),
  gatewayError: uncertainWithCode('HTTP_…')(
    'The service, or a gateway in front of it, did not return a result (HTTP {status})',
  ),
  answerUnreadable: uncertainWithCode('UNREADABLE_ANSWER')(
    'The response is not from this API (HTTP {status})',
    CHECK_BASE_URL,
  ),
  messageNotListed: uncertainWithCode('NOT_LISTED')(
    'The service accepted the request, but its response does not mention this message',
  ),
  messageUnclear: uncertainWithCode('NOT_CONFIRMED')(
    'The service responded, but did not confirm that it sent this message',
  ),
  partlySent: uncertainWithCode('PARTLY_SENT')(
    'Only {sent} of the {parts} parts of the text were certainly sent: {reason}',
    'Nothing more of the text is sent automatically.',
  ),
  stoppedInFlight: uncertainWithCode('STOPPED')('The run was stopped while the request was in flight'),
  interrupted: uncertainWithCode('INTERRUPTED', 'run')(
    "n8n stopped during an earlier attempt, or another retry has run since, so this message's outcome is unknown",
    "Send what did not arrive in a new execution, with only these items; with 'Send Once, Also in Later Runs', give them another 'Message Key'.",
  ),
  notAsked: uncertainWithCode('INTERRUPTED', 'run')(
    "n8n's database can't be read, so it is unknown whether an earlier attempt sent this message",
    "Check that n8n's database is running, then choose Retry again.",
  ),
  linkLost: uncertainWithCode('LINK_LOST')(
    'An earlier execution sent the message, and its link no longer works',
    'To ask again, start a new execution.',
  ),
  outcomeUnknown: uncertainWithCode('UNCERTAIN')("This message's outcome is unknown"),
  textChanged: uncertainWithCode('UNCERTAIN')(
    'An earlier attempt sent a message to this number, perhaps this one with another text',
    'If it did not arrive, send it in a new execution, with only this item.',
  ),
  anotherAttempt: uncertainWithCode('ANOTHER_RETRY', 'run')(
    'Another retry of this execution is running and sends its messages, so this one sends no more',
    'Wait until the other retry has ended: its execution shows the outcome of each message. If n8n still offers Retry then, it sends what is left.',
  ),
  testInRetry: uncertainWithCode('NOT_SET_UP', 'run')(
    "'Dry Run' and 'Test Run' can't be used in a retry, after which n8n would offer no other",
    "Remove the option, save, and choose 'Retry with currently saved workflow'. Or test in a new execution.",
  ),

  // The run ended before this message's turn.

  /** `sign` is its last sign, as a sentence; empty if only an earlier attempt saw it. */
  serviceDown: withCode('SERVICE_DOWN', 'run')(
    'The service is down',
    `{sign}Wait until the service works again. ${THEN_SEND_THE_REST}`,
  ),
  notStarted: withCode('NOT_STARTED', 'run')(
    'Another request stopped the run before this message was sent',
    `Correct what stopped it. ${THEN_SEND_THE_REST}`,
  ),
  /** Named in no error: the messages that can't be sent are. */
  heldBack: withCode('HELD_BACK', 'run')(
    "Another message can't be sent, so this run sent none",
    'Correct that one first.',
  ),
  stopped: withCode('STOPPED', 'run')(
    'The run was stopped before this message was sent',
    'n8n offers no Retry. Start a new execution with only the items that were not sent.',
  ),

  // The trigger.

  balanceNotReported: withCode('UNREADABLE_ANSWER', 'run')(
    'The service responded, but did not report the credits',
    CHECK_BASE_URL,
  ),
  pollTimeout: withCode('TIMEOUT', 'run')(
    'The balance could not be read in the time that n8n allows for a check',
    'The service is slow, or other requests with this API key wait for the rate limit. The next check tries again.',
  ),
} as const;

export type FailureName = keyof typeof CATALOGUE;

/**
 * Which messages a failure concerns. `run`: every other request would fail in the same way (a wrong key, no credits).
 * `request`: only this one.
 */
type Scope = 'request' | 'run';

/** One kind of failure. Names in braces in its texts are filled in for each case. */
export interface FailureKind<Message extends string = string, Advice extends string = string> {
  /**
   * Shown as an item's `details.code`; docs/errors.md explains each. One with "…" is completed where it occurs, with an
   * HTTP status or a network error; the service can give another.
   */
  readonly code: string;
  readonly scope: Scope;
  /** `not_sent`: sending again is safe. `uncertain`: the message may have been sent. */
  readonly outcome: 'not_sent' | 'uncertain';
  /** What happened: one sentence in this node's own words, without a full stop. */
  readonly message: Message;
  /** What to do, in sentences; empty if the only advice is to try again later, or to check first. */
  readonly advice: Advice;
}

/** Declares failures after which sending again is safe: `withCode(code, scope)(message, advice)`. */
function withCode(code: string, scope: Scope = 'request', outcome: FailureKind['outcome'] = 'not_sent') {
  return <const Message extends string, const Advice extends string = ''>(
    message: Message,
    advice?: Advice,
  ): FailureKind<Message, Advice | ''> => ({ code, scope, outcome, message, advice: advice ?? '' });
}

/** Declares failures after which the message may have been sent. */
function uncertainWithCode(code: string, scope: Scope = 'request') {
  return withCode(code, scope, 'uncertain');
}
