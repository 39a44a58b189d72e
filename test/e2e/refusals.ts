import type { JsonObject } from '../../demo/json';
import type { Sandbox } from '../../sandbox/server';

/** A call of the tool that sends one message, which comes to nothing. */
export interface Refusal {
  name: string;
  input: JsonObject;
  /** What the model has to be told: what is wrong, where, and the way out. */
  told: RegExp[];
  prepare?: (sandbox: Sandbox) => void;
  /** Use a key that the service does not know. */
  wrongKey?: boolean;
}

const input = { Phone: '447700900123', Message: 'Your order is on its way.' };

/** What can be wrong with a call, and with what it needs. */
export const REFUSALS: Refusal[] = [
  {
    name: 'a phone number without country code',
    input: { ...input, Phone: '07700 900123' },
    told: [
      /The phone number begins with 0, so its country code is missing/,
      /such as 447700900123 for 07700 900123/,
      /Nothing was sent/,
    ],
  },
  {
    name: 'a text that is too long',
    input: { ...input, Message: 'x'.repeat(1001) },
    told: [/The message has 1001 characters; at most 1000 can be sent/, /Shorten the text/, /Nothing was sent/],
  },
  {
    name: 'too few credits',
    input,
    prepare: (sandbox) => sandbox.setCredits(0),
    told: [/Not enough credits: 1 needed, 0 available/, /Top up the account/, /Nothing was sent/],
  },
  {
    name: 'a wrong API key',
    input,
    wrongKey: true,
    told: [/The API key is not valid/, /Open the credential and enter the API key/, /Nothing was sent/],
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
    told: [/does not accept the value of message/, /Correct the values/, /Links are not allowed/, /Nothing was sent/],
  },
];
