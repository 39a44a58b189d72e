import { sleep } from 'n8n-workflow';

/** After how many messages a loop pauses. */
export const YIELD_EVERY = 256;

/** How long this node may work in one turn of n8n's event loop, in milliseconds. */
const MAX_WORK = 15;

/** The turn in which any run of the node last worked; null before its first work in a turn. */
let turn: { readonly began: number; readonly over: Promise<void> } | null = null;

/** Call between the steps of long work: once this turn of the event loop is used up, other work runs first. */
export async function pause(): Promise<void> {
  for (;;) {
    turn ??= { began: performance.now(), over: sleep(0).then(() => void (turn = null)) };
    if (performance.now() <= turn.began + MAX_WORK) return;
    // Other runs that waited may use up the next turn, too.
    await turn.over;
  }
}
