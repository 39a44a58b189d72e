import { createLimiter, type Limiter, LIMITER_KINDS, type LimiterKind } from '../../sandbox/limiter';

const WINDOW = 60_000;
const START = 1_700_000_040_000; // a whole multiple of the window

/** The requests at these times: 1 for each that was granted, 0 for one that was refused. */
function granted(limiter: Limiter, times: number[]): string {
  return times.map((now) => (limiter.take(now).kind === 'granted' ? 1 : 0)).join('');
}

function limiterOf(kind: LimiterKind, limit: number): Limiter {
  const limiter = createLimiter(kind, limit, WINDOW);
  if (limiter === null) throw new Error('no limiter');
  return limiter;
}

describe.each(LIMITER_KINDS)('A %s limiter', (kind) => {
  test('grants its limit immediately, then refuses', () => {
    const limiter = limiterOf(kind, 3);
    expect(granted(limiter, [START, START, START, START])).toBe('1110');
  });

  test('is not delayed by refused requests', () => {
    const limiter = limiterOf(kind, 1);
    limiter.take(START);
    for (let second = 0; second < 50; second += 1) limiter.take(START + second * 1000);
    expect(granted(limiter, [START + WINDOW - 1, START + WINDOW])).toBe('01');
  });

  test('lets a client in that waits until the reset', () => {
    const limiter = limiterOf(kind, 7);
    for (let index = 0; index < 7; index += 1) limiter.take(START + 13 * index);
    const refused = limiter.take(START + 100);
    expect(refused).toMatchObject({ kind: 'refused', limit: 7, remaining: 0 });
    expect(limiter.take(START + 100 + refused.resetInMs - 1).kind).toBe('refused');
    expect(limiter.take(START + 100 + refused.resetInMs).kind).toBe('granted');
  });

  test('takes no request when it is only asked what is left', () => {
    const limiter = limiterOf(kind, 2);
    expect(limiter.look(START)).toEqual({ limit: 2, remaining: 2, resetInMs: 0 });
    expect(limiter.look(START).remaining).toBe(2);
    expect(limiter.take(START).remaining).toBe(1);
  });
});

test('A limit of 0 needs no limiter', () => {
  expect(createLimiter('sliding', 0, WINDOW)).toBeNull();
});

describe('Around the end of a window', () => {
  const late = START + WINDOW - 1000;

  test('a sliding limiter never grants more than the limit in any stretch of the window', () => {
    const limiter = limiterOf('sliding', 2);
    expect(granted(limiter, [late, late, START + WINDOW, late + WINDOW - 1, late + WINDOW])).toBe('11001');
  });

  test('a fixed limiter grants twice the limit', () => {
    const limiter = limiterOf('fixed', 2);
    expect(granted(limiter, [late, late, late, START + WINDOW, START + WINDOW, START + WINDOW])).toBe('110110');
  });

  test('a token bucket returns one request at a time, and never more than the limit', () => {
    const limiter = limiterOf('token-bucket', 2);
    expect(granted(limiter, [START, START, START + 29_999, START + 30_000, START + 30_001])).toBe('11010');
    expect(limiter.look(START + 100 * WINDOW).remaining).toBe(2);
  });
});
