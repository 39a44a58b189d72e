import type { IPollFunctions } from 'n8n-workflow';

import { isRecord } from '../api/records';
import type { DeliveryOptions } from '../delivery/options';
import { OptionError, optionNumber, readDeliveryOptions } from '../n8n/deliveryOptions';
import { readRequestOptions, type RequestOptions } from '../n8n/requestOptions';
import type { LowBalanceSettings } from './decision';

const HOUR = 60 * 60 * 1000;

export interface TriggerSettings {
  readonly lowBalance: LowBalanceSettings;
  readonly limits: Pick<DeliveryOptions, 'longestWait' | 'requestsPerMinute'>;
  readonly requestOptions: RequestOptions;
}

/**
 * Reads the parameters of the trigger.
 * @throws if a value can't be used; the message names the parameter
 */
export function readTriggerSettings(context: Pick<IPollFunctions, 'getNodeParameter'>): TriggerSettings {
  const options: unknown = context.getNodeParameter('options', {});
  const given = isRecord(options) ? options : {};
  const remindEvery = optionNumber(given.remindEvery, 'Remind Every', 0, 0) * HOUR;
  return {
    lowBalance: {
      threshold: readThreshold(context.getNodeParameter('threshold')),
      margin: optionNumber(given.margin, 'Margin', 0, 0),
      remindEvery: remindEvery > 0 ? remindEvery : null,
    },
    limits: readDeliveryOptions(given),
    requestOptions: readRequestOptions(context.getNodeParameter('requestOptions', {})),
  };
}

/** Without a threshold nothing would ever be low, so there is none to fall back to. */
function readThreshold(value: unknown): number {
  const threshold =
    typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : NaN;
  if (Number.isFinite(threshold) && threshold > 0) return threshold;
  throw new OptionError('The Threshold has to be a number above 0');
}
