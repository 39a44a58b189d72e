import type { INodeProperties, IPollFunctions } from 'n8n-workflow';

import { asText } from '../api/objects';
import { sourceOfItem } from '../n8n/input/itemParameters';
import {
  choiceField,
  GivenOptions,
  maxWait,
  numberField,
  numberIn,
  optionsField,
  requestsPerMinute,
} from '../n8n/input/readOptions';
import { readRequestOptions, requestOptions } from '../n8n/input/requestOptions';

const margin = numberField('Margin', 'margin', {
  min: 0,
  default: 0,
  description:
    "How many credits above 'Warn Below' the balance must rise before the next drop starts the workflow again. This prevents alerts in quick succession.",
});

const remindEvery = numberField('Remind Every (Hours)', 'remindEvery', {
  min: 0,
  default: 0,
  description:
    'How often to start the workflow again while the balance stays low, such as 24 for once a day. With 0, it starts only once.',
});

const threshold = numberField('Warn Below (Credits)', 'threshold', {
  min: 1,
  required: true,
  default: 100,
  description:
    'Start the workflow when fewer credits than this are left. Choose more than your largest list needs: each message uses 1 credit.',
});

/** The parameters of Messaging Send Trigger. n8n puts Poll Times before them. */
export const lowBalanceProperties: INodeProperties[] = [
  choiceField('Trigger On', 'event', {
    default: 'lowBalance',
    choices: { lowBalance: ['Low Balance', 'When fewer credits are left than you choose'] },
  }),
  threshold,
  optionsField([maxWait, margin, remindEvery, requestsPerMinute]),
  requestOptions,
];

/** @returns with `broken`, why one of the parameters can't be used; null if all can */
export function readTriggerSettings(context: Pick<IPollFunctions, 'getNodeParameter'>) {
  const given = new GivenOptions(sourceOfItem(context));
  return {
    lowBalance: {
      threshold: given.read(threshold, thresholdIn, 0, ''),
      margin: given.read(margin, numberIn, margin.default),
      remindEvery: given.read(remindEvery, numberIn, remindEvery.default) * 60 * 60_000 || null,
    },
    requestOptions: readRequestOptions(given),
    broken: given.failure,
  };
}

/** Without a threshold, no balance would ever be low, so an empty one is as wrong as 0. */
const thresholdIn: typeof numberIn = (value, field, option) => numberIn(Number(asText(value)), field, option);
