import type { Rejected, Reply } from '../api/reply';
import { type Failure, failure, type FailureCode } from '../failures/failure';

/** What is about the address and not about messages. */
const WRONG_ADDRESS: ReadonlySet<FailureCode> = new Set(['REDIRECTED', 'NOT_FOUND']);

/** What is about a batch as a whole; to search it would take Max Wait for each refusal. */
const NOT_SEARCHED: ReadonlySet<FailureCode> = new Set([...WRONG_ADDRESS, 'RATE_LIMITED']);

/** Whether nothing was sent for a reason that some messages may have, and others not. */
export function mayBeAboutSome(reply: Reply): reply is Rejected {
  return reply.kind === 'rejected' && reply.failure.scope !== 'run' && !NOT_SEARCHED.has(reply.failure.code);
}

/** The same reason for messages that were refused while the service works: then it is about them. */
export function aboutTheseAlone(reason: Failure): Failure {
  if (reason.scope !== 'unclear' || WRONG_ADDRESS.has(reason.code)) return reason;
  const { code, httpStatus, serviceSays } = reason;
  return failure('messageBlocked', { status: httpStatus ?? 403 }, { code, httpStatus, serviceSays });
}
