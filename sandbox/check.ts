import { z } from 'zod/v4';

import { ExpectedError } from '../tools/cli/errors';

export class InvalidInput extends ExpectedError {
  /** What Fastify answers with. */
  readonly statusCode = 400;
}

/** The value as its schema describes it. @throws InvalidInput that names each wrong field */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (!success) throw new InvalidInput(z.prettifyError(error));
  return data;
}
