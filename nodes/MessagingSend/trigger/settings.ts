import type { IPollFunctions } from 'n8n-workflow';

import { failure, FailureError } from '../failures/failure';
import { GivenOptions, readLimitOptions, readNumber, type ReadRunParameter } from '../n8n/input/options';
import { readRequestOptions, type RequestOptions } from '../n8n/input/requestOptions';
import type { RequestLimits } from '../requests/requests';
import type { LowBalanceSettings } from './decision';
import { margin, remindEvery } from './fields';

const HOUR = 60 * 60 * 1000;

export interface TriggerSettings {
  readonly lowBalance: LowBalanceSettings;
  readonly limits: Omit<RequestLimits, 'interval'>;
  readonly requestOptions: RequestOptions;
}

/**
 * Reads the parameters of the trigger.
 * @throws FailureError if a value can't be used; its message names the parameter
 */
export function readTriggerSettings(context: Pick<IPollFunctions, 'getNodeParameter'>): TriggerSettings {
  const read: ReadRunParameter = (path, fallback) => context.getNodeParameter(path, fallback);
  const given = GivenOptions.in('options', read);
  const givenForRequests = GivenOptions.in('requestOptions', read);
  // The field's default is for a user who adds the option; without it there is no reminder.
  const reminder = readNumber(given, { ...remindEvery, default: 0 }) * HOUR;
  const settings = {
    lowBalance: {
      threshold: readThreshold(context.getNodeParameter('threshold')),
      margin: readNumber(given, margin),
      remindEvery: reminder > 0 ? reminder : null,
    },
    limits: readLimitOptions(given),
    requestOptions: readRequestOptions(givenForRequests),
  };
  const wrong = given.failure ?? givenForRequests.failure;
  if (wrong !== null) throw new FailureError(wrong);
  return settings;
}

/** Without a threshold nothing would ever be low, so there is no fallback. */
function readThreshold(value: unknown): number {
  const threshold =
    typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : NaN;
  if (Number.isFinite(threshold) && threshold > 0) return threshold;
  throw new FailureError(failure('thresholdInvalid'));
}
