/** The document leaves the structure of validation details open; services are known to use these. */
export const DETAILS_SHAPES = [
  'field-message',
  'dotted',
  'bracket',
  'object',
  'nested',
  'array-with-nulls',
  'text',
  'none',
] as const;
export type DetailsShape = (typeof DETAILS_SHAPES)[number];

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** What is wrong with one field: `path` is e.g. `['messages', 3, 'phone']`, or `[]` for the body as a whole. */
export interface Problem {
  path: Array<string | number>;
  message: string;
  /** True if a limit of part 8 of the document is exceeded, false if the value is malformed. */
  overLimit: boolean;
}

/**
 * The `details` of a 422 in the given shape; undefined for 'none'.
 * `messageCount` is the number of messages in the request: the length of 'array-with-nulls'.
 */
export function formatDetails(shape: DetailsShape, problems: Problem[], messageCount: number): JsonValue | undefined {
  switch (shape) {
    case 'field-message':
      return problems.map(({ path, message }) => ({ field: dotted(path), message }));
    case 'dotted':
      return Object.fromEntries(problems.map(({ path, message }) => [dotted(path), message]));
    case 'bracket':
      return Object.fromEntries(problems.map(({ path, message }) => [bracketed(path), message]));
    case 'object':
      return byField(problems, ({ path }) => dotted(path));
    case 'nested':
      return nested(problems);
    case 'array-with-nulls':
      return perMessage(problems, messageCount);
    case 'text':
      return problems.map(({ path, message }) => `${dotted(path)} ${message}`).join('; ');
    case 'none':
      return undefined;
  }
}

/** `messages.3.phone` as the path of a problem. */
export function pathOf(field: string): Array<string | number> {
  return field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function dotted(path: Problem['path']): string {
  return path.length === 0 ? 'body' : path.join('.');
}

function bracketed(path: Problem['path']): string {
  return dotted(path).replace(/\.(\d+)/g, '[$1]');
}

function byField(problems: Problem[], name: (problem: Problem) => string): Record<string, JsonValue> {
  const messages = new Map<string, string[]>();
  for (const problem of problems) {
    messages.set(name(problem), [...(messages.get(name(problem)) ?? []), problem.message]);
  }
  return Object.fromEntries(messages);
}

function nested(problems: Problem[]): JsonValue {
  const groups = new Map<string, Problem[]>();
  const own: string[] = [];
  for (const problem of problems) {
    const [head, ...rest] = problem.path;
    if (head === undefined) own.push(problem.message);
    else groups.set(String(head), [...(groups.get(String(head)) ?? []), { ...problem, path: rest }]);
  }
  if (groups.size === 0) return own;
  return Object.fromEntries([...groups].map(([name, inner]) => [name, nested(inner)]));
}

/** One entry per message: null if it is valid, else its fields. A problem without a message is put at the first. */
function perMessage(problems: Problem[], messageCount: number): JsonValue {
  const indexOf = ({ path }: Problem) => path.find((part) => typeof part === 'number') ?? 0;
  const length = Math.max(messageCount, ...problems.map((problem) => indexOf(problem) + 1));
  return Array.from({ length }, (_, index) => {
    const own = problems.filter((problem) => indexOf(problem) === index);
    return own.length === 0 ? null : byField(own, ({ path }) => String(path.at(-1) ?? 'body'));
  });
}
