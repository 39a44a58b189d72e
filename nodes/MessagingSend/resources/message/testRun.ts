import type { INodeProperties } from 'n8n-workflow';

import type { TestRun } from '../../delivery/testRun';
import { failure, FailureError } from '../../failures/failure';
import { type GivenOptions, valuesIn, valuesOf } from '../../n8n/input/options';
import { cleanPhone, type PhoneRules } from '../../phone/phone';

const DEFAULT_COUNT = 3;

export const testRun: INodeProperties = {
  displayName: 'Test Run',
  name: 'testRun',
  type: 'fixedCollection',
  default: { values: { phone: '', count: DEFAULT_COUNT } },
  description:
    "Sends the first messages to your own phone and skips the rest. Test messages use credits, but don't count as sent.",
  options: valuesOf(
    {
      displayName: 'Phone',
      name: 'phone',
      type: 'string',
      default: '',
      placeholder: 'e.g. 447700900123',
      description: 'Number of the phone that gets the messages instead of the recipients',
    },
    {
      displayName: 'Count',
      name: 'count',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: DEFAULT_COUNT,
      description: 'How many messages to send to that phone, counted anew in each round of a loop',
    },
  ),
};

/** @returns null where the option is not added. Whatever else it is, no message may leave for a recipient. */
export function readTestRun(given: GivenOptions, rules: PhoneRules): TestRun | null {
  return given.get(testRun.name, testRun.displayName, null, (value) => {
    if (value === undefined || value === '') return null;
    const values = valuesIn(value);
    // A landline can be somebody's own as well.
    const numberCheck = rules.numberCheck === 'mobile' ? 'on' : rules.numberCheck;
    const phone = cleanPhone(values.phone ?? '', { ...rules, numberCheck });
    if (typeof phone !== 'string') throw new FailureError(failure('testPhoneUnreadable', { reason: phone.message }));
    const count = Math.floor(Number(values.count ?? DEFAULT_COUNT));
    if (count >= 1 && Number.isFinite(count)) return { phone, count };
    throw new FailureError(failure('optionNotNumber', { option: 'Count', min: 1 }));
  });
}
