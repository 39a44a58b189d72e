/** A failure the user can do something about: its message is all they get to see, without a stack trace. */
export class DemoFailure extends Error {}

/** Thrown out of every wait once the user has asked to stop. */
export class Stopped extends Error {}

/** The code Node gives to a failed system call, such as `ENOENT`. */
export function systemCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}
