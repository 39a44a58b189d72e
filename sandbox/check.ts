import type { z } from 'zod/v4';

/** Input that does not fit its schema. The message names each wrong field and says what is wrong with it. */
export class InvalidInput extends TypeError {
  /** What Fastify answers with. */
  readonly statusCode = 400;
}

/**
 * The value as its schema describes it, with defaults filled in; throws an {@link InvalidInput} otherwise.
 *
 * @param name  put before the fields in the message, such as `fault` for `fault.times: …`
 */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown, name?: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => {
    const field = [...(name === undefined ? [] : [name]), ...issue.path].join('.');
    return field === '' ? issue.message : `${field}: ${issue.message}`;
  });
  throw new InvalidInput(problems.join('; '));
}
