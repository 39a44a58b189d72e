/** An error with a cause outside this code: the user sees its message, and no stack trace. */
export class ExpectedError extends Error {}

/** Node's code for a failed system call, such as `ENOENT`. */
export function systemCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
