/** Sends with a pacer whose window need not be a minute, so that a limit can be measured in seconds. */
import { messagingSend } from './contenders';
import { serve } from './processes';
import { contacts, run } from './workflows';

export interface PacedTask {
  readonly url: string;
  /** Of the contacts, those that get a message. */
  readonly from: number;
  readonly to: number;
  /** In milliseconds; the first task's holds for the process. */
  readonly window: number;
}

/** Answers how many messages the node reports as sent. */
serve(async ({ url, from, to, window }: PacedTask) => {
  scaleWindow(window);
  return (await run(contacts(from, to), messagingSend('sendBulk', { options: {} }), url)).length;
});

let isScaled = false;

/** Has to happen before n8n loads the node, which makes its pacers then; that is with the first run. */
function scaleWindow(window: number): void {
  if (isScaled) return;
  const pacer =
    require('../dist/nodes/MessagingSend/requests/pacer.js') as typeof import('../nodes/MessagingSend/requests/pacer');
  class ScaledPacers extends pacer.Pacers {
    constructor(_minute: number, clock: ConstructorParameters<typeof pacer.Pacers>[1]) {
      super(window, clock);
    }
  }
  Object.assign(pacer, { Pacers: ScaledPacers });
  isScaled = true;
}
