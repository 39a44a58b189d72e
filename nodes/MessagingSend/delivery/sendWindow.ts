// placeholder until the branch "clock" lands
export interface SendWindow {
  readonly from: number;
  readonly to: number;
  readonly days: ReadonlySet<number>;
}
export type WindowClock = 'recipient' | 'workflow';
export class Windows {
  constructor(
    readonly window: SendWindow,
    readonly zone: string,
    readonly clock: WindowClock,
  ) {}
  closedUntil(_phone: string, now: number): number | null {
    const minute = Math.floor(now / 60_000) % 1440;
    return minute >= this.window.from && minute < this.window.to ? null : now + 60_000;
  }
}
