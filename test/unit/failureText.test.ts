import { descriptionOf } from '../../nodes/MessagingSend/n8n/output/sentences';
import { failureWith } from './samples';

const CHECK = 'The message may have been sent: check with the recipient or in the service before you send it again.';

test.each([
  ['is its advice', {}, 'not_sent', 'Do something.'],
  ['adds what the service said', { serviceSays: 'Busy' }, 'not_sent', 'Do something. The service says: Busy.'],
  [
    'keeps the punctuation of the service',
    { serviceSays: 'Busy!' },
    'not_sent',
    'Do something. The service says: Busy!',
  ],
  ['says to try again later if there is no advice', { advice: '' }, 'not_sent', 'Try again later.'],
  ['says first to check what may have been sent', {}, 'uncertain', `${CHECK} Do something.`],
  [
    'says only to check if there is no advice',
    { advice: '', serviceSays: 'Busy.' },
    'uncertain',
    `${CHECK} The service says: Busy.`,
  ],
] as const)('The description of a failure %s', (_what, changed, outcome, text) => {
  expect(descriptionOf(failureWith(changed), outcome)).toBe(text);
});
