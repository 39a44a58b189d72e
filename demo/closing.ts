/** What has been started and has to be ended, last one first. */
export class Closing {
  private readonly steps: Array<() => Promise<void>> = [];

  /** Adds a step to run at the end. */
  add(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  /**
   * Runs each step once, the newest first; a step that fails doesn't keep the others from running.
   *
   * @throws the first failure, when all steps have run
   */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) {
      await step().catch((failure: unknown) => failures.push(failure));
    }
    if (failures.length > 0) throw failures[0];
  }
}
