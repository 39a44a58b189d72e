import { createLimiter, type Limiter } from '../../sandbox/limiter';

const WINDOW = 60_000;
const START = 1_700_000_040_000; // a whole multiple of the window

function granted(limiter: Limiter, times: number[]): boolean[] {
  return times.map((now) => limiter.take(now).kind === 'granted');
}

function limiterOf(...[kind, limit]: [Parameters<typeof createLimiter>[0], number]): Limiter {
  const limiter = createLimiter(kind, limit, WINDOW);
  if (limiter === null) throw new Error('no limiter');
  return limiter;
}

describe('every limiter', () => {
  test.each(['sliding', 'fixed', 'token-bucket'] as const)('%s grants the limit at once and then refuses', (kind) => {
    const limiter = limiterOf(kind, 3);
    expect(granted(limiter, [START, START, START, START])).toEqual([true, true, true, false]);
  });

  test.each(['sliding', 'fixed', 'token-bucket'] as const)('%s: refused requests do not put off the next', (kind) => {
    const limiter = limiterOf(kind, 1);
    limiter.take(START);
    granted(
      limiter,
      Array.from({ length: 50 }, (_, index) => START + index * 1000),
    );
    expect(granted(limiter, [START + WINDOW - 1, START + WINDOW])).toEqual([false, true]);
  });

  test.each(['sliding', 'fixed', 'token-bucket'] as const)(
    '%s: a client that waits for the reset is let in',
    (kind) => {
      const limiter = limiterOf(kind, 7);
      granted(
        limiter,
        Array.from({ length: 7 }, (_, index) => START + 13 * index),
      );
      const refused = limiter.take(START + 100);
      expect(refused).toMatchObject({ kind: 'refused', limit: 7, remaining: 0 });
      expect(limiter.take(START + 100 + refused.resetInMs - 1).kind).toBe('refused');
      expect(limiter.take(START + 100 + refused.resetInMs).kind).toBe('granted');
    },
  );

  test.each(['sliding', 'fixed', 'token-bucket'] as const)('%s: looking takes nothing', (kind) => {
    const limiter = limiterOf(kind, 2);
    expect(limiter.look(START)).toEqual({ limit: 2, remaining: 2, resetInMs: 0 });
    expect(limiter.look(START).remaining).toBe(2);
    expect(limiter.take(START).remaining).toBe(1);
  });

  test('a limit of 0 is no limit', () => {
    expect(createLimiter('sliding', 0, WINDOW)).toBeNull();
  });
});

describe('what tells them apart', () => {
  const late = START + WINDOW - 1000;

  test('sliding never grants more than the limit in any stretch of the window', () => {
    const limiter = limiterOf('sliding', 2);
    expect(granted(limiter, [late, late, START + WINDOW, late + WINDOW - 1, late + WINDOW])).toEqual([
      true,
      true,
      false,
      false,
      true,
    ]);
  });

  test('fixed grants twice the limit around the turn of a window', () => {
    const limiter = limiterOf('fixed', 2);
    expect(granted(limiter, [late, late, late, START + WINDOW, START + WINDOW, START + WINDOW])).toEqual([
      true,
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  test('token-bucket gives back one request at a time, and saves up no more than the limit', () => {
    const limiter = limiterOf('token-bucket', 2);
    expect(granted(limiter, [START, START, START + 29_999, START + 30_000, START + 30_001])).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
    expect(limiter.look(START + 100 * WINDOW).remaining).toBe(2);
  });
});
