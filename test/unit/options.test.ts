import { REQUESTS_PER_MINUTE } from '../../nodes/MessagingSend/api/endpoints';
import { readLimitOptions, requestsPerMinute } from '../../nodes/MessagingSend/n8n/input/options';
import { deliveryOptions, readDeliveryOptions } from '../../nodes/MessagingSend/resources/message/options';
import { givenOptions } from '../support/givenOptions';

test("The default of 'Requests per Minute' is the API's limit", () => {
  // n8n's linter wants a literal as the default of a field.
  expect(requestsPerMinute.default).toBe(REQUESTS_PER_MINUTE);
});

test('An option that is not set has the default of its field', () => {
  for (const options of [{}, { longestWait: '', requestsPerMinute: null }]) {
    expect(readLimitOptions(givenOptions(options))).toEqual({
      maxWait: 5 * 60_000,
      requestsPerMinute: REQUESTS_PER_MINUTE,
    });
  }
});

test.each([
  ['checkCreditsFirst', false, true],
  ['dryRun', false, true],
  ['duplicateMessages', 'send', 'sendOnce'],
  ['emptyFields', 'send', 'doNotSend'],
] as const)("'%s' is %j without the option, and %j where it is added", (name, without, added) => {
  const option = deliveryOptions.options?.find((each) => each.name === name);
  const start: unknown = option && 'default' in option ? option.default : undefined;
  expect(readDeliveryOptions(givenOptions({}))[name]).toBe(without);
  expect(readDeliveryOptions(givenOptions({ [name]: start }))[name]).toBe(added);
});
