/** The options of every benchmark. */
export interface Options {
  /** How often each contender is measured, after a warm-up. */
  readonly rounds: number;
  /** A packed package that `ledger` compares with; undefined for this one. */
  readonly before?: string | undefined;
  /** Receives a line for each step of the progress. */
  readonly log: (line: string) => void;
}
