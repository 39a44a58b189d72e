/** Whether a rejection is about the run, about its request, or about some messages. */
import { type Rejected, rejected, type Reply } from '../../nodes/MessagingSend/api/reply';
import { concerningTheseAlone, mayConcernSome, Verdict } from '../../nodes/MessagingSend/delivery/rejections';
import type { Failure } from '../../nodes/MessagingSend/failures/failure';
import { failureWith } from './samples';

const UNCLEAR = rejected(failureWith({ code: 'FORBIDDEN', httpStatus: 403, scope: 'unclear' }));
const READ: Reply = { kind: 'accepted', data: {} };

/** The scopes of unclear rejections in a row, and how often the balance was read. */
async function scopes(replies: ReadonlyArray<Rejected | 'accepted'>, balance: () => Promise<Reply>) {
  let reads = 0;
  const verdict = new Verdict(async () => {
    reads += 1;
    return await balance();
  });
  const found: string[] = [];
  for (const reply of replies) {
    if (reply === 'accepted') verdict.accepted();
    else found.push((await verdict.clarify(reply)).failure.scope);
  }
  return { scopes: found, reads };
}

const balance = (reply: Reply) => async () => await Promise.resolve(reply);

describe('An unclear rejection', () => {
  test('is about its request if the balance is reported, which is read once', async () => {
    expect(await scopes([UNCLEAR, UNCLEAR], balance(READ))).toEqual({ scopes: ['unclear', 'unclear'], reads: 1 });
  });

  test('is about the run if the balance is not reported', async () => {
    expect(await scopes([UNCLEAR], balance(UNCLEAR))).toEqual({ scopes: ['run'], reads: 1 });
  });

  test('is about the run as the third in a row, but not after an accepted request', async () => {
    expect((await scopes([UNCLEAR, UNCLEAR, UNCLEAR], balance(READ))).scopes).toEqual(['unclear', 'unclear', 'run']);
    const interrupted = await scopes([UNCLEAR, UNCLEAR, 'accepted', UNCLEAR], balance(READ));
    expect(interrupted).toEqual({ scopes: ['unclear', 'unclear', 'unclear'], reads: 2 });
  });

  test('is about its request if the run ends before the balance is read', async () => {
    const stopped = async () => await Promise.reject(new Error('Stopped'));
    expect((await scopes([UNCLEAR], stopped)).scopes).toEqual(['unclear']);
  });
});

test.each(['run', 'request'] as const)('A rejection that is about the %s needs no verdict', async (scope) => {
  const clear = rejected(failureWith({ scope }));
  expect(await scopes([clear, clear, clear], balance(READ))).toEqual({ scopes: [scope, scope, scope], reads: 0 });
});

test.each<[string, Partial<Failure>, boolean]>([
  ['A wrong value', { code: 'VALIDATION_ERROR' }, true],
  ['A 403', { code: 'FORBIDDEN', scope: 'unclear' }, true],
  ['A wrong key', { code: 'INVALID_API_KEY', scope: 'run' }, false],
  ['A wrong address', { code: 'NOT_FOUND', scope: 'unclear' }, false],
  ['A redirect', { code: 'REDIRECTED', scope: 'unclear' }, false],
])('%s: may some messages be the cause?', (_what, failure, expected) => {
  expect(mayConcernSome(rejected(failureWith(failure)))).toBe(expected);
});

test('A message that is blocked while others are sent says so; a wrong address stays one', () => {
  const blocked = concerningTheseAlone(failureWith({ code: 'FORBIDDEN', httpStatus: 403, scope: 'unclear' }));
  expect(blocked).toMatchObject({ code: 'FORBIDDEN', httpStatus: 403, scope: 'request' });
  expect(blocked.message).toContain('rejected this message');
  for (const kept of [failureWith({ code: 'NOT_FOUND', scope: 'unclear' }), failureWith()]) {
    expect(concerningTheseAlone(kept)).toBe(kept);
  }
});
