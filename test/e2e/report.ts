import { once } from 'node:events';
import path from 'node:path';
import type { run } from 'node:test';

/** How the name of a part's file ends. */
export const ENDING = '.test.ts';

/** How many tests came to which end; those that are skipped count as neither. */
export interface Counts {
  passed: number;
  failed: number;
}

/** What Node's test runner tells of a test that has ended. */
interface Ended {
  name: string;
  /** How many `describe` and tests it is in. */
  nesting: number;
  skip?: string | boolean;
  details: { duration_ms: number; type?: string };
}

/**
 * Tells how the tests get on while they run, and counts them.
 *
 * A `describe`, and a test with subtests, counts only through what is in it, unless it is itself what fails.
 */
export async function report(events: ReturnType<typeof run>, say: (line: string) => void): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0 };
  let part = '';
  let begun = { name: '', nesting: 0 };
  let previousNesting = 0;
  const enter = (file = '') => {
    // A part may have its tests in other files.
    if (file === part || !file.endsWith(ENDING)) return;
    say(`\n== ${path.basename(file, ENDING)}`);
    part = file;
  };
  const isParent = ({ nesting, details }: Ended) => {
    // Subtests are told of before the test they are in.
    const holdsThePrevious = nesting < previousNesting;
    previousNesting = nesting;
    return holdsThePrevious || details.type === 'suite';
  };
  const tell = (verdict: string, { name, nesting, details }: Ended) => {
    say(`${'  '.repeat(nesting)}${verdict.padEnd(6)} ${name} (${(details.duration_ms / 1000).toFixed(1)} s)`);
  };

  events.on('test:start', ({ name, nesting, file }) => {
    enter(file);
    // What holds the test that starts now is told as a heading.
    if (nesting > begun.nesting) say(`${'  '.repeat(begun.nesting)}${begun.name}`);
    begun = { name, nesting };
  });
  events.on('test:pass', (ended: Ended) => {
    if (isParent(ended)) return;
    if (ended.skip === undefined) counts.passed += 1;
    tell(ended.skip === undefined ? 'ok' : 'skip', ended);
  });
  events.on('test:fail', (ended) => {
    const { error } = ended.details;
    if (isParent(ended) && 'failureType' in error && error.failureType === 'subtestsFailed') return;
    counts.failed += 1;
    tell('not ok', ended);
    say(describeFailure(error));
  });
  for (const name of ['test:stdout', 'test:stderr'] as const) {
    events.on(name, ({ file, message }) => {
      enter(file);
      say(indented(message));
    });
  }
  events.resume();
  await once(events, 'end');
  return counts;
}

function describeFailure(error: Error): string {
  // The runner's own error only wraps what was thrown.
  const thrown = error.cause instanceof Error ? error.cause : error;
  const lines = (thrown.stack ?? thrown.message).split('\n');
  return indented(lines.filter((line) => !/^\s+at .*(node:|node_modules)/.test(line)).join('\n'));
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
