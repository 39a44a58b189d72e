import { failure } from '../../nodes/MessagingSend/failures/failure';
import { unsendable } from '../../nodes/MessagingSend/messages/message';
import { descriptionOf, messageOf } from '../../nodes/MessagingSend/n8n/output/failureText';
import { failureWith } from './samples';

const CHECK = 'The message may have been sent: check with the recipient or in the service before you send it again.';

test('The description of a failure is its advice, then what the service said', () => {
  expect(descriptionOf(failureWith())).toBe('Do something.');
  expect(descriptionOf(failureWith({ serviceSays: 'Busy' }))).toBe('Do something. The service says: Busy.');
  expect(descriptionOf(failureWith({ serviceSays: 'Busy!' }))).toBe('Do something. The service says: Busy!');
});

test('The description for an uncertain message begins with the advice to check before sending it again', () => {
  expect(descriptionOf(failureWith({ advice: 'Try later.' }), 'uncertain')).toBe(`${CHECK} Try later.`);
});

test('A failure without advice says to try again later, but never for an uncertain message', () => {
  const failure = failureWith({ advice: '', serviceSays: 'Busy.' });
  expect(descriptionOf(failure)).toBe('Try again later. The service says: Busy.');
  expect(descriptionOf(failure, 'uncertain')).toBe(`${CHECK} The service says: Busy.`);
});

test('A failure of the whole run names no entry of a list', () => {
  const origin = { item: 0, entry: 3, part: null, phone: null };
  const { message } = failure('baseUrlInvalid');
  expect(messageOf(unsendable(origin, failure('baseUrlInvalid')))).toBe(message);
  expect(messageOf(unsendable(origin, failure('textEmpty')))).toBe('The message is empty (entry 3 of the list)');
});
