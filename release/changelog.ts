import { gt, valid } from 'semver';

/** What a version's section of the changelog says. */
export interface ChangelogRelease {
  version: string;
  /** As written: year, month, day. */
  date: string;
  entries: number;
}

export interface Changelog {
  /** In the order of the file: the newest first. */
  releases: ChangelogRelease[];
  /** How many entries wait for a version. */
  unreleased: number;
  /** Where the file departs from its form, a sentence each. */
  problems: string[];
}

const UNRELEASED = 'Unreleased';
const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
const RELEASE_HEADING = /^\[(?<version>[^\]]+)\](?: - (?<date>\d{4}-\d{2}-\d{2}))?(?: \[YANKED\])?$/;

interface Section extends ChangelogRelease {
  heading: string;
  kinds: string[];
}

/**
 * Reads a changelog in the form of Keep a Changelog 1.1.0, and tells where it departs from that form.
 *
 * Stricter than the parsers there are, which sort and repair what they read.
 *
 * @param text  the whole file
 */
export function readChangelog(text: string): Changelog {
  const problems: string[] = [];
  const sections: Section[] = [];
  const lines = text.split('\n').map((line) => line.trimEnd());
  if (lines[0] !== '# Changelog') problems.push('The first line is not "# Changelog".');

  for (const line of lines) {
    const section = sections.at(-1);
    if (line.startsWith('## ')) {
      sections.push(readHeading(line.slice(3), problems));
    } else if (line.startsWith('### ')) {
      addKind(line.slice(4), section, problems);
    } else if (line.startsWith('- ')) {
      if (section === undefined || section.kinds.length === 0)
        problems.push(`"${line}" stands under no kind of change.`);
      else section.entries += 1;
    }
  }

  const releases = sections.filter(({ version }) => version !== UNRELEASED);
  return {
    releases: releases.map(({ version, date, entries }) => ({ version, date, entries })),
    unreleased: sections.find(({ version }) => version === UNRELEASED)?.entries ?? 0,
    problems: [...problems, ...orderProblems(sections), ...releases.flatMap(emptyProblem)],
  };
}

function readHeading(heading: string, problems: string[]): Section {
  const { version = '', date = '' } = RELEASE_HEADING.exec(heading)?.groups ?? {};
  const isUnreleased = heading === `[${UNRELEASED}]`;
  if (!isUnreleased && (valid(version) !== version || !isDate(date))) {
    problems.push(`"${heading}" is neither "[${UNRELEASED}]" nor of the form "[1.2.3] - 2026-01-31".`);
  }
  return { heading, version, date, entries: 0, kinds: [] };
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  // A 31st of a shorter month is taken for the 1st of the next.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function addKind(kind: string, section: Section | undefined, problems: string[]): void {
  if (!KINDS.includes(kind)) problems.push(`"${kind}" is none of ${KINDS.join(', ')}.`);
  if (section?.kinds.includes(kind) === true) problems.push(`${section.heading} has "${kind}" twice.`);
  section?.kinds.push(kind);
}

function orderProblems(sections: Section[]): string[] {
  return sections.flatMap((section, index) => {
    const above = sections[index - 1];
    if (above === undefined) return [];
    if (section.version === UNRELEASED) return [`[${UNRELEASED}] is not at the top.`];
    if (above.version === UNRELEASED || valid(section.version) === null || valid(above.version) === null) return [];
    const inOrder = gt(above.version, section.version) && above.date >= section.date;
    return inOrder ? [] : [`[${above.version}] stands above [${section.version}], and is not newer.`];
  });
}

function emptyProblem({ version, entries }: Section): string[] {
  return entries === 0 ? [`[${version}] has no entry.`] : [];
}
