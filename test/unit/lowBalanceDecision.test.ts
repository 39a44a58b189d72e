import fc from 'fast-check';

import { decide, type LowBalanceSettings, type LowBalanceState } from '../../nodes/MessagingSend/trigger/decision';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 31);
const SETTINGS: LowBalanceSettings = { threshold: 100, margin: 0, remindEvery: null };

/** A poll, with the balance that it reads. */
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

describe('The trigger', () => {
  test('fires once for each drop, whatever the balance does', () => {
    const balance = fc.oneof(fc.integer({ min: 160, max: 280 }), fc.integer({ min: -20, max: 200 })).map((n) => n / 2);
    const credits = fc.array(balance, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(credits, fc.integer({ min: 0, max: 30 }), (balances, margin) => {
        const fires = fired(balances, { margin });
        // The rule in its simplest form: the first low balance fires, then nothing does until the balance has risen.
        let armed = true;
        balances.forEach((balance, index) => {
          if (balance > 100 && balance >= 100 + margin) armed = true;
          expect(fires[index]).toBe(armed && balance < 100);
          if (balance < 100) armed = false;
        });
      }),
      { seed: 11 },
    );
  });

  test('fires again when the balance of another account is low', () => {
    expect(fired([99, { credits: 99, owner: 4712 }])).toEqual([YES, YES]);
    expect(fired([99, { credits: 99, owner: null }, 99])).toEqual([YES, no, no]);
  });
});

describe('A changed threshold', () => {
  const at = (credits: number, threshold: number): Poll => ({ credits, settings: { threshold } });

  test.each<[string, Poll[], boolean[]]>([
    ['fires if it makes the balance low', [at(300, 100), at(300, 500)], [no, YES]],
    ['fires once more if the balance is below both', [at(40, 100), at(40, 50), at(30, 50)], [YES, YES, no]],
    ['fires at the next drop if it is below the balance', [at(80, 100), at(80, 50), at(49, 50)], [YES, no, YES]],
  ])('%s', (_what, polls, expected) => {
    expect(fired(polls)).toEqual(expected);
  });

  test('fires at a drop below a lower one, whatever the margin', () => {
    expect(fired([at(80, 100), at(60, 50), at(49, 50)], { margin: 20 })).toEqual([YES, no, YES]);
  });
});

describe('Remind Every', () => {
  const every = (hours: number): Partial<LowBalanceSettings> => ({ remindEvery: hours * HOUR });
  const low = (hours: number, credits = 50): Poll => ({ credits, at: hours * HOUR });

  test('fires again after that time since the last one', () => {
    expect(fired([low(0), low(23), low(24), low(47), low(48)], every(24))).toEqual([YES, no, YES, no, YES]);
  });

  test('fires at a poll that comes some seconds early', () => {
    const polls = [{ credits: 50, at: 700 }, low(1), { credits: 50, at: 2 * HOUR - 29_000 }];
    expect(fired(polls, every(1))).toEqual([YES, YES, YES]);
  });

  test('does not fire if the balance is no longer low, even if it has not risen by the margin', () => {
    expect(fired([low(0), low(30, 120), low(60, 50)], { ...every(24), margin: 50 })).toEqual([YES, no, YES]);
  });

  test('counts from now after the clock was set back', () => {
    expect(fired([low(1000), low(0), low(23), low(24)], every(24))).toEqual([YES, no, no, YES]);
  });
});

test('After a gap, a low balance fires unless it is the one before', () => {
  const before = decide(undefined, { credits: 99, owner: 1 }, SETTINGS, START).next;
  const after = [99, 98, 99.5, 110].map((credits) => decide(before, { credits, owner: 1 }, SETTINGS, START, true));
  expect(after.map(({ fires }) => fires)).toEqual([no, YES, YES, no]);
});

test('The stored state has the credits of the previous poll, but not those of another account', () => {
  const first = decide(undefined, { credits: 120, owner: 1 }, SETTINGS, START);
  expect(first.previousCredits).toBeNull();
  expect(decide(first.next, { credits: 99, owner: 1 }, SETTINGS, START).previousCredits).toBe(120);
  expect(decide(first.next, { credits: 99, owner: 2 }, SETTINGS, START).previousCredits).toBeNull();
});
