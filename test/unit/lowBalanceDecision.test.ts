import fc from 'fast-check';

import {
  decide,
  type LowBalanceSettings,
  type LowBalanceState,
  readState,
} from '../../nodes/MessagingSend/trigger/decision';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 31);
const SETTINGS: LowBalanceSettings = { threshold: 100, margin: 0, remindEvery: null };

/** A poll: credits, or more than that. */
interface Poll {
  readonly credits: number;
  readonly at?: number;
  readonly owner?: number | string | null;
  readonly settings?: Partial<LowBalanceSettings>;
}

/** Makes the polls one after the other, with the state stored as JSON in between, and tells which of them fired. */
function fired(
  polls: ReadonlyArray<number | Poll>,
  settings: Partial<LowBalanceSettings> = {},
  kept: unknown = undefined,
): boolean[] {
  let stored = kept === undefined ? undefined : JSON.stringify(kept);
  return polls.map((given, index) => {
    const {
      credits,
      at = index * 60_000,
      owner = 4711,
      settings: own,
    } = typeof given === 'number' ? ({ credits: given } as Poll) : given;
    const before = readState(stored === undefined ? undefined : JSON.parse(stored));
    const { fires, next } = decide(before, { credits, owner }, { ...SETTINGS, ...settings, ...own }, START + at);
    stored = JSON.stringify(next);
    return fires;
  });
}

const YES = true;
const no = false;

describe('fires', () => {
  test.each<[string, number[], boolean[]]>([
    ['when the credits fall below the threshold', [150, 99], [no, YES]],
    ['at the first poll, if the balance is low already', [99], [YES]],
    ['not at the threshold itself', [100, 100], [no, no]],
    ['once while the balance stays low, however low', [99, 99, 50, 0], [YES, no, no, no]],
    ['again after a rise', [99, 101, 99], [YES, no, YES]],
    ['not again after a rise that stays below', [50, 99, 50], [YES, no, no]],
    ['not again after a rise to the threshold, which is not above it', [99, 100, 99], [YES, no, no]],
    ['for a fall to nothing, and to debts', [150, 0, 200, -5], [no, YES, no, YES]],
    ['for parts of credits', [100.5, 99.5], [no, YES]],
  ])('%s', (_what, credits, expected) => {
    expect(fired(credits)).toEqual(expected);
  });

  test('again after a rise by the margin, not before', () => {
    expect(fired([99, 149, 99, 150, 99], { margin: 50 })).toEqual([YES, no, no, no, YES]);
  });

  test('never twice for one fall, whatever the credits do', () => {
    const credits = fc.array(fc.integer({ min: 80, max: 140 }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(credits, fc.integer({ min: 0, max: 30 }), (balances, margin) => {
        const fires = fired(balances, { margin });
        // Told in the plain way: once low, all is quiet until the credits have risen.
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

  test('again when another account is low', () => {
    expect(fired([99, { credits: 99, owner: 4712 }])).toEqual([YES, YES]);
    expect(fired([99, { credits: 99, owner: null }, 99])).toEqual([YES, no, no]);
  });
});

describe('with another threshold than before', () => {
  const at = (credits: number, threshold: number): Poll => ({ credits, settings: { threshold } });

  test.each<[string, Poll[], boolean[]]>([
    ['that makes the balance low, it fires', [at(300, 100), at(300, 500)], [no, YES]],
    [
      'it stays quiet while the credits are below both: this fall was told',
      [at(80, 100), at(80, 500), at(80, 500)],
      [YES, no, no],
    ],
    ['it stays quiet below a lower one as well', [at(40, 100), at(40, 50), at(30, 50)], [YES, no, no]],
    ['that is below the credits, a next fall is told', [at(80, 100), at(80, 50), at(49, 50)], [YES, no, YES]],
    ['that is the credits themselves, a next fall is told', [at(80, 100), at(80, 80), at(79, 80)], [YES, no, YES]],
    ['it fires if the credits have risen above the old one only', [at(80, 100), at(300, 500)], [YES, YES]],
  ])('%s', (_what, polls, expected) => {
    expect(fired(polls)).toEqual(expected);
  });

  test('the margin does not hide a fall below the lower one', () => {
    expect(fired([at(80, 100), at(60, 50), at(49, 50)], { margin: 20 })).toEqual([YES, no, YES]);
  });
});

describe('with Remind Every', () => {
  const every = (hours: number): Partial<LowBalanceSettings> => ({ remindEvery: hours * HOUR });
  const low = (hours: number, credits = 50): Poll => ({ credits, at: hours * HOUR });

  test('it fires again after that time, counted from the last time', () => {
    expect(fired([low(0), low(23), low(24), low(47), low(48)], every(24))).toEqual([YES, no, YES, no, YES]);
  });

  test('a poll that comes some seconds early is not put off to the next one', () => {
    expect(fired([{ credits: 50, at: 700 }, low(1), { credits: 50, at: 2 * HOUR - 29_000 }], every(1))).toEqual([
      YES,
      YES,
      YES,
    ]);
  });

  test('it does not remind of a balance that is not low any more, though not risen by the margin', () => {
    expect(fired([low(0), low(30, 120), low(60, 50)], { ...every(24), margin: 50 })).toEqual([YES, no, YES]);
  });

  test('a new fall is told at once', () => {
    expect(fired([low(0), low(1, 200), low(2)], every(24))).toEqual([YES, no, YES]);
  });

  test('with a clock that was set back, the time counts from then', () => {
    expect(fired([low(1000), low(0), low(23), low(24)], every(24))).toEqual([YES, no, no, YES]);
  });

  test('a clock that was set back does not end the fall', () => {
    expect(fired([low(1000), low(0), low(0, 150), low(0)])).toEqual([YES, no, no, YES]);
  });

  test('switched on later, it reminds of a fall that was told before', () => {
    expect(fired([low(0), { ...low(30), settings: every(24) }])).toEqual([YES, YES]);
  });
});

describe('what is kept', () => {
  test('is plain data that comes back from JSON as it was', () => {
    const { next } = decide(null, { credits: 99, owner: 4711 }, SETTINGS, START);
    expect(next).toEqual({ low: true, credits: 99, threshold: 100, owner: 4711, firedAt: START });
    expect(readState(JSON.parse(JSON.stringify(next)))).toEqual(next);
  });

  test('tells the credits of the poll before, and none at the first poll or of another account', () => {
    const first = decide(null, { credits: 120, owner: 1 }, SETTINGS, START);
    expect(first.previousCredits).toBeNull();
    expect(decide(first.next, { credits: 99, owner: 1 }, SETTINGS, START).previousCredits).toBe(120);
    expect(decide(first.next, { credits: 99, owner: 2 }, SETTINGS, START).previousCredits).toBeNull();
  });

  test.each([undefined, null, 0, 'low', [], {}, [true], { low: 'yes' }, { low: 1, credits: 5 }])(
    '%j is not understood: it begins anew',
    (kept) => {
      expect(readState(kept)).toBeNull();
      if (kept !== undefined) expect(fired([99, 99], {}, kept)).toEqual([YES, no]);
    },
  );

  test('of an older or broken shape is used as far as it goes', () => {
    const nothing: LowBalanceState = { low: true, credits: null, threshold: null, owner: null, firedAt: null };
    expect(readState({ low: true })).toEqual(nothing);
    expect(readState({ low: true, credits: 'x', threshold: NaN, owner: {}, firedAt: '2026' })).toEqual(nothing);
    expect(fired([99, 101, 99], {}, { low: true })).toEqual([no, no, YES]);
    // Without a time, reminders count from now.
    expect(
      fired(
        [
          { credits: 99, at: 0 },
          { credits: 99, at: HOUR },
        ],
        { remindEvery: HOUR },
        { low: true },
      ),
    ).toEqual([no, YES]);
  });
});
