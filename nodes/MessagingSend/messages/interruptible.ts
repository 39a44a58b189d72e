/** Work over many messages that yields wherever it can be interrupted, so that n8n stays responsive. */
export type Interruptible<Result> = Generator<void, Result>;

/** Does long work without blocking n8n. */
export type Work = <Done>(work: Interruptible<Done>) => Promise<Done>;

/**
 * How many values are handled between two interruptions. To interrupt takes a tenth of a microsecond, and most values take
 * hardly longer; but one whose expressions n8n evaluates takes some tenths of a millisecond.
 */
export const YIELD_EVERY = 8;

/** Calls `work` with each value, and yields after every few. */
export function* withEach<Value>(values: Iterable<Value>, work: (value: Value) => void): Interruptible<void> {
  let done = 0;
  for (const value of values) {
    work(value);
    done += 1;
    if (done % YIELD_EVERY === 0) yield;
  }
}
