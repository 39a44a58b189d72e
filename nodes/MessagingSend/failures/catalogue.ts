import { entry } from './entry';

const WITH_COUNTRY_CODE = 'Write it with the country code and without + or leading zeros, such as 447700900123.';
const CHECK_NUMBER =
  "Check the number. If its country has changed its numbering plan, set the option 'Number Check' to Off.";
const MISSING_CODE =
  "Its country code may be missing: write 447700900123 for 07700 900123 in the United Kingdom, or set the option 'Default Country Code'.";
const FORMAT_AS_TEXT =
  'In the spreadsheet, format the column as text, enter the numbers again, and export the sheet again.';
const CHECK_BASE_URL = 'Check the Base URL in the credential: it ends in /v1 or /api/v1.';
const ENTER_KEY = 'Copy the API key from your account settings into the credential.';
const REASON_OF_SERVICE = 'Correct what the service names as the reason. If it names none, ask its support.';
const THEN_TRY_AGAIN = 'Then try again.';
// With On Error: Continue, n8n counts the execution as a success and offers no Retry.
const THEN_SEND_THE_REST =
  'Then use Retry in the executions list; if n8n offers none, start a new execution with only the items that were not sent.';
const ASK_AGAIN = 'To ask again, start a new execution.';

function uncertainText(count: number): string {
  if (count === 0) return 'No message of the run is uncertain.';
  return count === 1
    ? '1 message of the run is uncertain: it may have been sent.'
    : `${count} messages of the run are uncertain: they may have been sent.`;
}

/** A number whose country has no numbers of this length. */
interface WrongLength {
  /** Such as "7 digits". */
  readonly digits: string;
  /** Such as "212 (Morocco and others)". */
  readonly country: string;
  /** Such as "7, 9 or 10". */
  readonly lengths: string;
}

const wrongLength = ({ digits, country, lengths }: WrongLength) =>
  `The phone number has ${digits} after the country code ${country}, which needs ${lengths}`;

/** Every failure that this node reports. */
export const CATALOGUE = {
  // The input can't be sent.

  phoneEmpty: entry()({
    code: 'INVALID_PHONE',
    message: 'The phone number is empty',
    advice: 'Fill in the number, or remove the item before this node.',
  }),
  phoneNotText: entry<{ kind: string }>()({
    code: 'INVALID_PHONE',
    message: ({ kind }) => `The phone number is ${kind}, not a text or a whole number`,
    advice: WITH_COUNTRY_CODE,
  }),
  phoneScientific: entry()({
    code: 'INVALID_PHONE',
    message: 'The phone number is in scientific notation (such as 4.47E+11), so the spreadsheet has lost digits',
    advice: FORMAT_AS_TEXT,
  }),
  phoneNegative: entry()({
    code: 'INVALID_PHONE',
    message: 'The phone number is negative: a spreadsheet read it as a calculation',
    advice: FORMAT_AS_TEXT,
  }),
  phoneLetters: entry()({
    code: 'INVALID_PHONE',
    message: 'The phone number contains letters',
    advice: `Use digits only, without an extension. ${WITH_COUNTRY_CODE}`,
  }),
  phoneCharacters: entry()({
    code: 'INVALID_PHONE',
    message: 'The phone number contains a character that phone numbers do not have',
    advice: `Use one number per message. ${WITH_COUNTRY_CODE}`,
  }),
  phoneCountryCode: entry()({
    code: 'INVALID_PHONE',
    message: 'The phone number begins with 0, so its country code is missing',
    advice:
      "Replace the 0 with the country code, such as 447700900123 for 07700 900123 in the United Kingdom, or set the option 'Default Country Code'.",
  }),
  phoneLength: entry<{ digits: string; wrong: string }>()({
    code: 'INVALID_PHONE',
    message: ({ digits, wrong }) => `The phone number has ${digits}, which is too ${wrong}: it needs 7 to 15`,
    advice: WITH_COUNTRY_CODE,
  }),
  phoneDate: entry()({
    code: 'INVALID_PHONE',
    message: 'The phone number is a date',
    advice: 'Check that the field, or its expression, refers to the column with the phone numbers.',
  }),
  phoneSeveral: entry()({
    code: 'INVALID_PHONE',
    message: 'The phone number is more than one number',
    advice: 'Use one number per message.',
  }),
  phoneExtraDigits: entry()({
    code: 'INVALID_PHONE',
    message: 'The phone number has extra digits, such as an extension or decimal places',
    advice: `Remove them. ${WITH_COUNTRY_CODE}`,
  }),
  phoneCodeUnknown: entry()({
    code: 'INVALID_PHONE',
    message: 'The phone number does not begin with a known country code',
    advice: MISSING_CODE,
  }),
  phoneCodeMissing: entry<WrongLength>()({
    code: 'INVALID_PHONE',
    message: wrongLength,
    advice: MISSING_CODE,
  }),
  phoneImpossible: entry<WrongLength>()({
    code: 'INVALID_PHONE',
    message: wrongLength,
    advice: CHECK_NUMBER,
  }),
  phoneTooLong: entry()({
    code: 'INVALID_PHONE',
    message: 'The phone number is too long: it has more than 100 characters',
    advice: WITH_COUNTRY_CODE,
  }),

  textEmpty: entry()({
    code: 'INVALID_MESSAGE',
    message: 'The message is empty',
    advice: 'Fill in the text. If it comes from an expression, check that the item has that field.',
  }),
  textNotText: entry<{ kind: string }>()({
    code: 'INVALID_MESSAGE',
    message: ({ kind }) => `The message is ${kind}, not a text`,
    advice: 'If it comes from an expression, refer to the field that contains the text.',
  }),
  textTooLong: entry<{ characters: number; max: number }>()({
    code: 'INVALID_MESSAGE',
    message: ({ characters, max }) => `The message has ${characters} characters, but at most ${max} can be sent`,
    advice: "Shorten the text, or set the option 'Long Messages'.",
  }),
  textTooLongForLink: entry<{ characters: number; max: number; link: number }>()({
    code: 'INVALID_MESSAGE',
    message: ({ characters, max, link }) =>
      `The message has ${characters} characters and its link ${link}, but at most ${max} can be sent in all`,
    advice: 'Shorten the text.',
  }),

  listNotJson: entry()({
    code: 'INVALID_MESSAGES',
    message: "'Messages' is not valid JSON",
    advice: 'Check quotes and commas, or use an expression that returns the list, such as {{ $json.body.messages }}.',
  }),
  listNotList: entry()({
    code: 'INVALID_MESSAGES',
    message: "'Messages' is not a list",
    advice:
      'Use a JSON array of objects, each with phone and message: [{ "phone": "447700900123", "message": "Hello" }].',
  }),
  listEntryNotObject: entry()({
    code: 'INVALID_MESSAGES',
    message: 'The entry is not an object',
    advice: 'Each entry needs the fields phone and message: { "phone": "447700900123", "message": "Hello" }.',
  }),

  expressionFailed: entry<{ reason: string }>()({
    code: 'INVALID_PARAMETER',
    message: ({ reason }) => `An expression can't be evaluated: ${reason}`,
    advice: 'Check the expressions in the fields of this node for this item.',
  }),
  countryCodeUnknown: entry<{ code: string }>()({
    code: 'INVALID_PARAMETER',
    message: ({ code }) => `The option 'Default Country Code' is ${code}, which is not a known country code`,
    advice: 'Correct the option: the code of the United Kingdom is 44, for example, and that of North America is 1.',
  }),
  countryCodeInvalid: entry()({
    code: 'INVALID_PARAMETER',
    message: "The option 'Default Country Code' must be 1 to 4 digits, such as 44",
    advice: 'Correct the option. If it comes from an expression, check its value for this item.',
  }),

  messageKeyEmpty: entry()({
    code: 'INVALID_PARAMETER',
    message: "The option 'Message Key' is empty for this item",
    advice: 'Check that the item has the field that the option refers to, or remove the option.',
  }),

  // The node is not set up.

  optionNotBoolean: entry<{ option: string }>()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: ({ option }) => `The option '${option}' must be true or false`,
    advice: 'Correct the option.',
  }),
  optionNotChoice: entry<{ option: string; choices: string }>()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: ({ option, choices }) => `The option '${option}' must be one of ${choices}`,
    advice: 'Correct the option.',
  }),
  optionNotNumber: entry<{ option: string; min: number }>()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: ({ option, min }) => `The option '${option}' must be a number of at least ${min}`,
    advice: 'Correct the option.',
  }),
  optionNotDate: entry<{ option: string }>()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: ({ option }) => `The option '${option}' must be a date and time in the future`,
    advice: 'Correct the option.',
  }),
  optionUnreadable: entry<{ option: string; reason: string }>()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: ({ option, reason }) => `The option '${option}' can't be read: ${reason}`,
    advice: 'Correct the expression in the option.',
  }),
  thresholdInvalid: entry()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: "'Threshold' must be a number above 0",
    advice: 'Correct the threshold.',
  }),
  baseUrlInvalid: entry()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: "'Base URL' in the credential is not an address such as https://api.example.com/v1",
    advice: 'Correct the credential. If the address comes from an expression, check its value for this item.',
  }),
  apiKeyEmpty: entry()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: "'API Key' in the credential is empty",
    advice: 'Correct the credential. If the key comes from an expression, check its value for this item.',
  }),
  apiKeyCharacters: entry<{ kind: string }>()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: ({ kind }) => `The API key contains ${kind}, which can't be part of a key`,
    advice: ENTER_KEY,
  }),
  credentialUnreadable: entry<{ reason: string }>()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: ({ reason }) => `The credential can't be read: ${reason}`,
    advice: 'Select the credential in the node again. If it contains expressions, check their values for this item.',
  }),
  sendOnceUnavailable: entry()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: "'Send Once, Across Executions' works only in a saved workflow",
    advice:
      "Save the workflow. n8n runs the calls of an MCP server or a sub-agent outside the workflow: for these, choose another value for the option 'Duplicate Messages', or let them call a workflow that contains this node.",
  }),
  waitUnavailable: entry()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: "'Send and Wait for Response' does not work as a tool that a model calls",
    advice: 'To have a person approve tool calls, add this node as a human review step of the AI Agent.',
  }),
  reviewerFromModel: entry()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: "The model can't fill in 'Phone': it would choose who approves its calls",
    advice: "Enter the number of the person who approves in 'Phone'.",
  }),
  proxyInvalid: entry()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: "'Proxy' under Request Options is not an address such as http://proxy.example.com:3128",
    advice: 'Correct the proxy.',
  }),
  proxyProtocol: entry()({
    code: 'NOT_SET_UP',
    scope: 'run',
    message: "'Proxy' under Request Options must be an HTTP or HTTPS proxy",
    advice: 'Correct the proxy.',
  }),

  // The service rejected the request: nothing was sent.

  apiKeyMissing: entry()({
    code: 'MISSING_API_KEY',
    scope: 'run',
    message: 'The service received no API key',
    advice: ENTER_KEY,
  }),
  apiKeyInvalid: entry()({
    code: 'INVALID_API_KEY',
    scope: 'run',
    message: 'The API key is not valid',
    advice: `${ENTER_KEY} Each messaging instance has its own key.`,
  }),
  creditsTooLow: entry<{ required: number; available: number }>()({
    code: 'INSUFFICIENT_CREDITS',
    scope: 'run',
    message: ({ required, available }) => `Not enough credits: ${required} needed, ${available} available`,
    advice: 'Top up the account, then try again.',
  }),
  creditsTooLowUnknown: entry()({
    code: 'INSUFFICIENT_CREDITS',
    scope: 'run',
    message: 'Not enough credits',
    advice: 'Top up the account, then try again.',
  }),
  valueInvalid: entry()({
    code: 'VALIDATION_ERROR',
    message: 'The service rejected a value of the request',
    advice: 'Correct the values, then try again.',
  }),
  fieldsInvalid: entry<{ fields: string }>()({
    code: 'VALIDATION_ERROR',
    message: ({ fields }) => `The service rejected the value of ${fields}`,
    advice: 'Correct the values, then try again.',
  }),
  messageInvalid: entry<{ part: string }>()({
    code: 'VALIDATION_ERROR',
    message: ({ part }) => `The service rejected ${part}`,
    advice: 'Correct it, then try again.',
  }),
  rateLimited: entry<{ perMinute: number; wait: string }>()({
    code: 'RATE_LIMITED',
    scope: 'run',
    message: ({ perMinute }) =>
      `The rate limit is reached: the service allows ${perMinute} requests per minute for each API key`,
    advice: ({ wait }) =>
      `Wait ${wait}, then try again. Send Bulk sends up to 100 messages in one request. If other programs use the same key, lower the option 'Requests per Minute' or raise 'Max Wait'.`,
  }),
  messageNotAccepted: entry()({
    code: 'NOT_ACCEPTED',
    message: 'The service accepted the request, but did not send this message',
    advice: 'Check the phone number and the text.',
  }),
  redirected: entry<{ status: number; origin: string }>()({
    code: 'REDIRECTED',
    scope: 'unclear',
    message: ({ status }) => `The address has moved (HTTP ${status}), and redirects are not followed when sending`,
    advice: ({ origin }) => `Enter the new address${origin} as 'Base URL' in the credential.`,
  }),
  notFound: entry<{ status: number }>()({
    code: 'NOT_FOUND',
    scope: 'unclear',
    message: ({ status }) => `The service does not know this address (HTTP ${status})`,
    advice: CHECK_BASE_URL,
  }),
  forbidden: entry<{ status: number }>()({
    code: 'FORBIDDEN',
    scope: 'unclear',
    message: ({ status }) => `The service, or a firewall in front of it, does not allow this request (HTTP ${status})`,
    advice: 'Check in your account settings what this API key may do.',
  }),
  messageBlocked: entry<{ status: number }>()({
    code: 'FORBIDDEN',
    message: ({ status }) => `The service, or a firewall in front of it, rejected this message (HTTP ${status})`,
    advice: 'Check its text and number: a firewall can block a link or a word.',
  }),
  refused: entry()({
    code: 'REFUSED',
    message: 'The service rejected the request',
    advice: REASON_OF_SERVICE,
  }),
  refusedWithStatus: entry<{ status: number }>()({
    code: 'HTTP_4…',
    message: ({ status }) => `The service rejected the request (HTTP ${status})`,
    advice: REASON_OF_SERVICE,
  }),

  // The credits were checked first: nothing was sent.

  creditsNotRead: entry<{ reason: string; advice: string }>()({
    code: '…',
    scope: 'run',
    message: ({ reason }) => `Nothing was sent, because the credits could not be checked: ${reason}`,
    advice: ({ advice }) => advice,
  }),
  creditsNotReported: entry()({
    code: 'UNREADABLE_ANSWER',
    scope: 'run',
    message: 'Nothing was sent, because the service did not report the credits',
    advice: "Try again later, or turn off the option 'Check Credits First'.",
  }),
  creditsTooLowForRun: entry<{ required: number; available: number }>()({
    code: 'INSUFFICIENT_CREDITS',
    scope: 'run',
    message: ({ required, available }) => `Not enough credits for the run: ${required} needed, ${available} available`,
    advice: "Nothing was sent. Top up the account, or turn off the option 'Check Credits First'.",
  }),

  // n8n's database was not reached: nothing was sent.

  notReserved: entry()({
    code: 'NOT_RESERVED',
    scope: 'run',
    message: "n8n's database could not be written to, so it is unknown whether this message was sent before",
    advice: `Check that n8n's database is running and its disk is not full. ${THEN_SEND_THE_REST} Without 'Send Once, Across Executions', the database is not needed.`,
  }),

  // The service was not reached: nothing was sent.

  hostUnknown: entry()({
    code: 'UNREACHABLE_ENOTFOUND',
    scope: 'run',
    message: 'The host in the Base URL does not exist',
    advice: `Check the Base URL in the credential for typos. ${THEN_TRY_AGAIN}`,
  }),
  hostLookup: entry()({
    code: 'UNREACHABLE_EAI_AGAIN',
    scope: 'run',
    message: "The host name in the Base URL can't be resolved",
    advice: `Check the network and the DNS server of the machine that runs n8n. ${THEN_TRY_AGAIN}`,
  }),
  connectionRefused: entry()({
    code: 'UNREACHABLE_ECONNREFUSED',
    scope: 'run',
    message: 'The service refused the connection',
    advice: `Check the Base URL in the credential, and whether the service (or the proxy) is running. ${THEN_TRY_AGAIN}`,
  }),
  hostUnreachable: entry()({
    code: 'UNREACHABLE_EHOSTUNREACH',
    scope: 'run',
    message: "n8n can't reach the service's host",
    advice: `Check the network and the proxy of the machine that runs n8n. ${THEN_TRY_AGAIN}`,
  }),
  connectionTimeout: entry()({
    code: 'UNREACHABLE_ETIMEDOUT',
    scope: 'run',
    message: 'The connection to the service timed out before anything was sent',
    advice: `Check the Base URL, the network and the firewall. ${THEN_TRY_AGAIN}`,
  }),
  connectionForbidden: entry()({
    code: 'UNREACHABLE_EACCES',
    scope: 'run',
    message: 'The machine that runs n8n does not allow a connection to the service',
    advice: `Check the firewall and the security settings of that machine. ${THEN_TRY_AGAIN}`,
  }),
  connectionClosed: entry()({
    code: 'UNREACHABLE_ECONNRESET',
    scope: 'run',
    message: 'The connection was closed before the request could be sent',
    advice: `Check the Base URL in the credential, and the proxy or firewall between n8n and the service. ${THEN_TRY_AGAIN}`,
  }),
  connectionsUsedUp: entry()({
    code: 'UNREACHABLE_EMFILE',
    scope: 'run',
    message: "The machine that runs n8n can't open more connections",
    advice: `Run fewer executions at the same time, or raise that machine's limit of open files. ${THEN_TRY_AGAIN}`,
  }),
  urlInvalid: entry()({
    code: 'UNREACHABLE_ERR_INVALID_URL',
    scope: 'run',
    message: 'The Base URL is not a valid address',
    advice: 'Enter it in the credential in the form https://host/v1.',
  }),
  headerInvalid: entry()({
    code: 'UNREACHABLE_ERR_INVALID_CHAR',
    scope: 'run',
    message: "The API key contains a character that can't be sent in a request",
    advice: ENTER_KEY,
  }),
  certificateUntrusted: entry()({
    code: 'UNREACHABLE_…',
    scope: 'run',
    message: "The connection is not secure: the service's certificate is not trusted",
    advice: `Check the Base URL in the credential. If the service has a certificate of your own authority, name that authority in NODE_EXTRA_CA_CERTS, a variable of the machine that runs n8n. ${THEN_TRY_AGAIN}`,
  }),
  notHttps: entry()({
    code: 'UNREACHABLE_EPROTO',
    scope: 'run',
    message: 'The service does not speak https at this address',
    advice: `Check the Base URL in the credential: it may need to begin with http://. ${THEN_TRY_AGAIN}`,
  }),
  tlsRefused: entry()({
    code: 'UNREACHABLE_EPROTO',
    scope: 'run',
    message: 'The service refused a secure connection',
    advice: `Check the Base URL in the credential. If it is right, the service uses TLS settings that this n8n does not support. ${THEN_TRY_AGAIN}`,
  }),
  blockedByN8n: entry()({
    code: 'UNREACHABLE_…',
    scope: 'run',
    message: 'n8n does not allow a request to this address',
    advice: "Ask the administrator of this n8n instance to allow the service's host.",
  }),

  // The message may have been sent.

  timeout: entry()({
    code: 'TIMEOUT',
    sendAgain: 'checkFirst',
    message: 'The service did not answer in time',
    advice: "If the service is slow, raise 'Timeout' under Request Options in this node's settings.",
  }),
  connectionLost: entry()({
    code: 'CONNECTION_LOST',
    sendAgain: 'checkFirst',
    message: 'The connection to the service was lost before its response arrived',
    advice: 'Check the network between n8n and the service.',
  }),
  serverError: entry<{ status: number }>()({
    code: 'SERVER_ERROR',
    sendAgain: 'checkFirst',
    message: ({ status }) => `The service did not finish handling the request (HTTP ${status})`,
  }),
  gatewayError: entry<{ status: number }>()({
    code: 'HTTP_5…',
    sendAgain: 'checkFirst',
    message: ({ status }) => `The service, or a gateway in front of it, did not return a result (HTTP ${status})`,
  }),
  answerUnreadable: entry<{ status: number }>()({
    code: 'UNREADABLE_ANSWER',
    sendAgain: 'checkFirst',
    message: ({ status }) => `The response is not from this API (HTTP ${status})`,
    advice: CHECK_BASE_URL,
  }),
  messageNotListed: entry()({
    code: 'NOT_LISTED',
    sendAgain: 'checkFirst',
    message: 'The service accepted the request, but its response does not mention this message',
  }),
  messageUnclear: entry()({
    code: 'NOT_CONFIRMED',
    sendAgain: 'checkFirst',
    message: 'The service accepted the request, but did not confirm that it sent this message',
  }),
  stoppedInFlight: entry()({
    code: 'STOPPED',
    scope: 'run',
    sendAgain: 'checkFirst',
    message: 'The run was stopped while the request was in flight',
  }),
  interrupted: entry()({
    code: 'INTERRUPTED',
    scope: 'run',
    sendAgain: 'checkFirst',
    message: "n8n stopped during an earlier attempt, so this message's outcome is unknown",
    advice:
      "Send what did not arrive in a new execution, with only these items. If nothing that is uncertain arrived and n8n still offers Retry, you can instead set the option 'On Uncertain Outcome' to Send Again, save, and choose 'Retry with currently saved workflow': it sends all uncertain messages again.",
  }),
  reserved: entry()({
    code: 'RESERVED',
    sendAgain: 'checkFirst',
    message: 'Another execution started to send this message, and its outcome is unknown',
    advice: "If it was not sent, change its 'Message Key' to send it.",
  }),
  linkLost: entry()({
    code: 'LINK_LOST',
    sendAgain: 'checkFirst',
    message: 'An earlier execution sent the message, and its link no longer works',
    advice: ASK_AGAIN,
  }),
  questionUncertain: entry<{ reason: string }>()({
    code: '…',
    sendAgain: 'checkFirst',
    message: ({ reason }) => reason,
    advice: `If it was sent, its link no longer works. ${ASK_AGAIN}`,
  }),
  outcomeUnknown: entry()({
    code: 'UNCERTAIN',
    sendAgain: 'checkFirst',
    message: "This message's outcome is unknown",
  }),
  textChanged: entry()({
    code: 'UNCERTAIN',
    sendAgain: 'checkFirst',
    message: 'An earlier attempt sent a message to this number, perhaps this one with another text',
    advice: 'If it did not arrive, send it in a new execution, with only this item.',
  }),
  anotherAttempt: entry()({
    code: 'ANOTHER_RETRY',
    scope: 'run',
    sendAgain: 'checkFirst',
    message: 'Another retry of this execution is running and sends its messages, so this one sent nothing',
    advice:
      'Wait until the other retry has ended: its execution shows the outcome of each message. If n8n still offers Retry then, it sends what is left.',
  }),
  dryRunInRetry: entry()({
    code: 'NOT_SET_UP',
    scope: 'run',
    sendAgain: 'checkFirst',
    message: "'Dry Run' can't be used in a retry: n8n would count the retry as successful and offer no other",
    advice: "Turn 'Dry Run' off, save, and choose 'Retry with currently saved workflow'; or try it in a new execution.",
  }),

  // The run ended before this message's turn.

  serviceDown: entry<{ reason: string; uncertain: number }>()({
    code: 'SERVICE_DOWN',
    scope: 'run',
    message: 'Not sent, because the service is down',
    advice: ({ reason, uncertain }) =>
      `${reason === '' ? '' : `${reason}. `}${uncertainText(uncertain)} Wait until the service works again. ${THEN_SEND_THE_REST}`,
  }),
  notStarted: entry()({
    code: 'NOT_STARTED',
    scope: 'run',
    message: 'Not sent, because another request stopped the run',
    advice: `Correct what stopped it. ${THEN_SEND_THE_REST}`,
  }),
  stopped: entry()({
    code: 'STOPPED',
    scope: 'run',
    message: 'The run was stopped before this message was sent',
    advice: 'n8n offers no Retry. Start a new execution with only the items that were not sent.',
  }),

  // The trigger.

  balanceNotReported: entry()({
    code: 'UNREADABLE_ANSWER',
    scope: 'run',
    message: 'The service responded, but did not report the credits',
    advice: CHECK_BASE_URL,
  }),
  pollTimeout: entry()({
    code: 'TIMEOUT',
    scope: 'run',
    message: 'The balance could not be read in the time that n8n allows for a check',
    advice:
      'The service is slow, or other requests of this API key are waiting for the rate limit. The next check tries again.',
  }),
} as const;

export type FailureName = keyof typeof CATALOGUE;
