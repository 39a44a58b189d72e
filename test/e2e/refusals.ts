import { type Sandbox } from '../../sandbox/server';
import { type JsonObject } from '../../tools/json';

/** The phone that tools are called with. */
export const PHONE = '447700900123';

/** A key that the sandbox does not know. */
export const WRONG_KEY = 'another-made-up-key-9876543210';

/** A call of the tool that sends one message, which sends nothing. */
export interface Refusal {
  name: string;
  input: JsonObject;
  /** What the model must get to know: what is wrong, where, and what to do. */
  reported: RegExp[];
  prepare?: (sandbox: Sandbox) => void;
  /** Whether to call with {@link WRONG_KEY}. */
  wrongKey?: boolean;
}

const input = { Phone: PHONE, Message: 'Your order is on its way.' };

/** What can be wrong with a call, or with the account that it uses. */
export const REFUSALS: Refusal[] = [
  {
    name: 'a phone number without country code',
    input: { ...input, Phone: '07700 900123' },
    reported: [
      /The phone number begins with 0, so its country code is missing/,
      /such as 447700900123 for 07700 900123/,
      /Nothing was sent/,
    ],
  },
  {
    name: 'a text that is too long',
    input: { ...input, Message: 'x'.repeat(1001) },
    reported: [/The message has 1001 characters, but at most 1000 can be sent/, /Shorten the text/, /Nothing was sent/],
  },
  {
    name: 'too few credits',
    input,
    prepare: (sandbox) => sandbox.setCredits(0),
    reported: [/Not enough credits: 1 needed, 0 available/, /Top up the account/, /Nothing was sent/],
  },
  {
    name: 'a wrong API key',
    input,
    wrongKey: true,
    reported: [/The API key is not valid/, /Copy the API key from your account settings/, /Nothing was sent/],
  },
  {
    name: 'a value that the service does not accept',
    input,
    prepare: (sandbox) =>
      sandbox.setFaults([
        {
          kind: 'status',
          status: 422,
          code: 'VALIDATION_ERROR',
          details: [{ field: 'message', message: 'Links are not allowed' }],
        },
      ]),
    reported: [
      /service rejected the value of message/,
      /Correct the values/,
      /Links are not allowed/,
      /Nothing was sent/,
    ],
  },
];
