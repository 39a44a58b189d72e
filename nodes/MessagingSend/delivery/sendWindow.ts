// placeholder until the branch "clock" lands
export interface SendWindow {
  readonly from: number;
  readonly to: number;
  readonly days: ReadonlySet<number>;
  readonly timeZone: 'recipient' | 'workflow';
}
export class Windows {
  constructor(
    readonly window: SendWindow,
    readonly zone: string,
  ) {}
  closedUntil(_phone: string, _now: number): number | null {
    return null;
  }
}
