import { decide, type LowBalanceSettings, type LowBalanceState } from '../../nodes/MessagingSend/trigger/decision';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 31);
const SETTINGS: LowBalanceSettings = { threshold: 100, margin: 0, remindEvery: null };

interface Poll {
  readonly credits: number;
  readonly at?: number;
  readonly owner?: number | string | null;
  readonly settings?: Partial<LowBalanceSettings>;
}

/** Polls one after the other, with the state stored as JSON in between, and returns which polls fired. */
function fired(polls: ReadonlyArray<number | Poll>, settings: Partial<LowBalanceSettings> = {}): boolean[] {
  let stored: string | undefined;
  return polls.map((given, index) => {
    const poll: Poll = typeof given === 'number' ? { credits: given } : given;
    const { credits, at = index * 60_000, owner = 4711, settings: own } = poll;
    const before = stored === undefined ? undefined : (JSON.parse(stored) as LowBalanceState);
    const { fires, next } = decide(before, { credits, owner }, { ...SETTINGS, ...settings, ...own }, START + at);
    stored = JSON.stringify(next);
    return fires;
  });
}

const YES = true;
const no = false;

const at = (credits: number, threshold: number): Poll => ({ credits, settings: { threshold } });
const every = (hours: number): Partial<LowBalanceSettings> => ({ remindEvery: hours * HOUR });
const low = (hours: number, credits = 50): Poll => ({ credits, at: hours * HOUR });
const MARGIN = { margin: 20 };
const EARLY = [{ credits: 50, at: 700 }, low(1), { credits: 50, at: 2 * HOUR - 29_000 }];

test.each<[string, polls: Array<number | Poll>, fires: boolean[], settings?: Partial<LowBalanceSettings>]>([
  ['A drop fires anew after a rise by the margin', [99, 119.5, 99, 120, 100, 99.5], [YES, no, no, no, no, YES], MARGIN],
  ['A drop fires once more after a rise above the threshold', [99, 100, 99, 100.5, 99], [YES, no, no, no, YES]],
  ['The balance of another account fires if it is low', [99, { credits: 99, owner: 4712 }], [YES, YES]],
  ['A balance without an owner is of the same account', [99, { credits: 99, owner: null }, 99], [YES, no, no]],
  ['A changed threshold fires if it makes the balance low', [at(300, 100), at(300, 500)], [no, YES]],
  ['A changed threshold fires once more below both', [at(40, 100), at(40, 50), at(30, 50)], [YES, YES, no]],
  ['A lower threshold fires at the next drop below it', [at(80, 100), at(80, 50), at(49, 50)], [YES, no, YES]],
  ['A lower threshold does so with any margin', [at(80, 100), at(60, 50), at(49, 50)], [YES, no, YES], MARGIN],
  ['A reminder fires each day', [low(0), low(23), low(24), low(47), low(48)], [YES, no, YES, no, YES], every(24)],
  ['A reminder fires at a poll that is some seconds early', EARLY, [YES, YES, YES], every(1)],
  [
    'No reminder fires if the balance is no longer low, even if it has not risen by the margin',
    [low(0), low(30, 120), low(60, 50)],
    [YES, no, YES],
    { ...every(24), margin: 50 },
  ],
  ['A reminder counts anew if clocks go back', [low(1000), low(0), low(23), low(24)], [YES, no, no, YES], every(24)],
])('%s', (...[, polls, expected, settings]) => expect(fired(polls, settings)).toEqual(expected));

test('The stored state has the credits of the previous poll, but not those of another account', () => {
  const first = decide(undefined, { credits: 120, owner: 1 }, SETTINGS, START);
  expect(first.previousCredits).toBeNull();
  expect(decide(first.next, { credits: 99, owner: 1 }, SETTINGS, START).previousCredits).toBe(120);
  expect(decide(first.next, { credits: 99, owner: 2 }, SETTINGS, START).previousCredits).toBeNull();
});
