import { messagingSend } from '../test/support/contenders';
import { runSteps } from '../test/support/engine/steps';
import { serve } from './processes';
import { contacts } from './workflows';

export interface LimitTask {
  readonly url: string;
  readonly count: number;
}

/** Reports how many messages the node reports as sent. */
serve(
  async ({ url, count }: LimitTask) =>
    (await runSteps(contacts(0, count), messagingSend('sendBulk', { options: {} }), url)).length,
);
