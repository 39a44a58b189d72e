/** The document leaves the structure of validation details open. These are shapes that services use. */
export const DETAILS_SHAPES = ['field-message', 'dotted', 'bracket', 'nested', 'text', 'none'] as const;
export type DetailsShape = (typeof DETAILS_SHAPES)[number];

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

export interface Problem {
  /** Such as `messages.3.phone`; `body` for the body as a whole. */
  field: string;
  message: string;
}

/** The `details` of a 422 in the given shape; undefined for 'none'. */
export function formatDetails(shape: DetailsShape, problems: Problem[]): JsonValue | undefined {
  switch (shape) {
    case 'field-message':
      return problems.map(({ field, message }) => ({ field, message }));
    case 'dotted':
      return Object.fromEntries(problems.map(({ field, message }) => [field, message]));
    case 'bracket':
      return Object.fromEntries(problems.map(({ field, message }) => [field.replace(/\.(\d+)/g, '[$1]'), message]));
    case 'nested': {
      const details: Record<string, JsonValue> = {};
      for (const { field, message } of problems) {
        const names = field.split('.');
        const last = names.pop() ?? '';
        const inner = names.reduce((at, name) => (at[name] ??= {}) as typeof details, details);
        inner[last] = [message];
      }
      return details;
    }
    case 'text':
      return problems.map(({ field, message }) => `${field} ${message}`).join('; ');
    case 'none':
      return undefined;
  }
}
