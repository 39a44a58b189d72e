/** Ends the dispatches of a run together, those to all its accounts. */
export class RunEnd {
  private readonly listeners: Array<() => void> = [];

  onEnd(listener: () => void): void {
    this.listeners.push(listener);
  }

  end(): void {
    for (const listener of this.listeners.splice(0)) listener();
  }
}
