import type { z } from 'zod/v4';

import { ExpectedError } from '../tools/cli/errors';

/** Input that does not fit its schema. The message names each wrong field and what is wrong with it. */
export class InvalidInput extends ExpectedError {
  /** What Fastify answers with. */
  readonly statusCode = 400;
}

/**
 * The value as its schema describes it, with defaults filled in; throws an {@link InvalidInput} otherwise.
 * @param name  put before the fields in the message, such as `fault` for `fault.times: …`
 */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown, name?: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => {
    const field = [...(name === undefined ? [] : [name]), ...path].join('.');
    return field === '' ? message : `${field}: ${message}`;
  });
  throw new InvalidInput(problems.join('; '));
}
