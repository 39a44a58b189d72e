import { DETAILS_SHAPES } from './details';
import { BULK_ANSWER_SHAPES, ENDPOINTS, type Fault, type FaultKind } from './faults';
import { isRecord } from './validation';

interface Rule {
  holds: (value: unknown) => boolean;
  /** Completes "<name> must be …". */
  text: string;
}

interface Parameters {
  required: Record<string, Rule>;
  optional: Record<string, Rule>;
}

const text: Rule = { holds: (value) => typeof value === 'string', text: 'a string' };
const flag: Rule = { holds: (value) => typeof value === 'boolean', text: 'true or false' };
const anything: Rule = { holds: () => true, text: 'any JSON' };
const object: Rule = { holds: isRecord, text: 'an object' };
const status = whole(200, 599);

const timing: Record<string, Rule> = {
  on: oneOf([...ENDPOINTS, 'any']),
  times: whole(1),
  after: whole(0),
  probability: {
    holds: (value) => typeof value === 'number' && value >= 0 && value <= 1,
    text: 'a number from 0 to 1',
  },
};

const PARAMETERS: Record<FaultKind, Parameters> = {
  status: {
    required: { status },
    optional: {
      code: orNull(text),
      message: text,
      details: anything,
      detailsShape: oneOf(DETAILS_SHAPES),
      fields: listOf(text),
      error: object,
      retryAfter: {
        holds: (value) =>
          ['number', 'string'].includes(typeof value) || (isRecord(value) && typeof value.dateInSeconds === 'number'),
        text: 'seconds, a string or {"dateInSeconds": seconds}',
      },
      handled: flag,
    },
  },
  html: { required: {}, optional: { status, handled: flag } },
  body: { required: { status, body: text }, optional: { contentType: orNull(text), handled: flag } },
  redirect: {
    required: { location: text },
    optional: { status: oneOf([301, 302, 303, 307, 308]), handled: flag },
  },
  delay: { required: { ms: whole(0) }, optional: {} },
  'reset-before': { required: {}, optional: {} },
  'reset-during': { required: {}, optional: { sent: whole(0) } },
  'reset-after': { required: {}, optional: {} },
  'half-body': { required: {}, optional: {} },
  'bulk-answer': {
    required: { shape: oneOf(BULK_ANSWER_SHAPES) },
    optional: { on: oneOf(['bulk']), indices: listOf(whole(0)), status: text },
  },
};

/** A fault from JSON of unknown origin; throws an Error that names what is wrong. A misspelt parameter is wrong too. */
export function checkFault(value: unknown): Fault {
  assertFault(value);
  return value;
}

/** A list of faults; throws an Error that names the fault and what is wrong with it. */
export function checkFaults(value: unknown): Fault[] {
  if (!Array.isArray(value)) throw new Error('faults must be a JSON array');
  return value.map((entry: unknown, index) => {
    try {
      return checkFault(entry);
    } catch (error) {
      throw new Error(`fault ${index}: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
}

function assertFault(value: unknown): asserts value is Fault {
  if (!isRecord(value)) throw new Error('a fault must be a JSON object');
  const { kind, ...parameters } = value;
  if (!isKind(kind)) throw new Error(`kind must be one of ${Object.keys(PARAMETERS).join(', ')}`);
  const { required, optional } = PARAMETERS[kind];
  const rules: Record<string, Rule> = { ...timing, ...optional, ...required };
  for (const name of Object.keys(required)) {
    if (parameters[name] === undefined) throw new Error(`${kind} needs ${name}`);
  }
  for (const [name, given] of Object.entries(parameters)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) throw new Error(`${kind} has no ${name}`);
    if (given !== undefined && !rule.holds(given)) throw new Error(`${name} of ${kind} must be ${rule.text}`);
  }
}

function isKind(value: unknown): value is FaultKind {
  return typeof value === 'string' && Object.hasOwn(PARAMETERS, value);
}

function whole(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Rule {
  const bound = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum}` : `from ${minimum} to ${maximum}`;
  return {
    holds: (value) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
    text: `a whole number ${bound}`,
  };
}

function oneOf(values: readonly unknown[]): Rule {
  return { holds: (value) => values.includes(value), text: `one of ${values.join(', ')}` };
}

function listOf(rule: Rule): Rule {
  return { holds: (value) => Array.isArray(value) && value.every(rule.holds), text: `a list, each ${rule.text}` };
}

function orNull(rule: Rule): Rule {
  return { holds: (value) => value === null || rule.holds(value), text: `${rule.text} or null` };
}
