/** Sends with a pacer whose window may be shorter than a minute, so that a limit can be measured in seconds. */
import { createRequire } from 'node:module';

import type * as PacerModule from '../nodes/MessagingSend/requests/pacer';
import { messagingSend } from '../test/support/contenders';
import { runSteps } from '../test/support/engine/steps';
import { serve } from './processes';
import { contacts } from './workflows';

export interface PacedTask {
  readonly url: string;
  /** The indexes of the contacts that get a message. */
  readonly from: number;
  readonly to: number;
  /** In milliseconds; all tasks of a process have that of the first one. */
  readonly window: number;
}

/** Reports how many messages the node reports as sent. */
serve(async ({ url, from, to, window }: PacedTask) => {
  scaleWindow(window);
  return (await runSteps(contacts(from, to), messagingSend('sendBulk', { options: {} }), url)).length;
});

let isScaled = false;

/** Must run before n8n loads the node for its first run, or the node has the real pacer already. */
function scaleWindow(window: number): void {
  if (isScaled) return;
  const pacer = createRequire(import.meta.url)('../dist/nodes/MessagingSend/requests/pacer') as typeof PacerModule;
  class ScaledPacer extends pacer.Pacer {
    constructor(_minute: number, clock: ConstructorParameters<typeof pacer.Pacer>[1]) {
      super(window, clock);
    }
  }
  Object.assign(pacer, { Pacer: ScaledPacer });
  isScaled = true;
}
