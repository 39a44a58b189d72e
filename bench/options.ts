/** The options of every benchmark. */
export interface Options {
  /** How often each contender is measured, after a warm-up. */
  readonly rounds: number;
  /** Whether limits are measured in real minutes; otherwise a window lasts some seconds. */
  readonly trueMinutes: boolean;
  /** Receives a line for each step of the progress. */
  readonly log: (line: string) => void;
}
