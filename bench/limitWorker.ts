import { messagingSend } from '../test/support/contenders';
import { runSteps } from '../test/support/engine/steps';
import { serve } from './processes';
import { contacts } from './workflows';

export interface LimitTask {
  readonly url: string;
  readonly count: number;
}

/** Sends to so many contacts, with the limit that the node has by default. */
serve(async ({ url, count }: LimitTask) => {
  await runSteps(contacts(0, count), messagingSend('sendBulk', { options: {} }), url);
});
