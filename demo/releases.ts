/** A release of n8n that can be installed here, and what npm has to be told for it. */
export interface Release {
  version: string;
  /** Installed next to n8n when this process runs on another major version of Node. */
  node: string;
  /** Beside n8n at the root: peer dependencies, which are left out because they conflict, and single copies. */
  dependencies: Record<string, string>;
  /** Dependencies of n8n that leave a range open which took in releases n8n doesn't work with, or can't be had. */
  overrides: Record<string, string>;
  /** Settings of n8n that not every release knows. */
  settings: Record<string, string>;
  /** Roughly, to tell how far an installation is. */
  packages: number;
  gigabytes: number;
}

/** The release the demo runs. */
export const CURRENT = '2.41.1' as const;

/** The oldest release the package is tested with. */
export const OLDEST = '2.0.3' as const;

// n8n's node "Extract from File" needs it.
const DATE_FNS = { 'date-fns': '2.30.0' };

const RELEASES = {
  [CURRENT]: {
    version: CURRENT,
    node: '24.21.0',
    dependencies: DATE_FNS,
    overrides: { linkedom: '0.18.12', '@langchain/langgraph': '1.4.17' },
    // It would look into n8n's own server for a list.
    settings: { N8N_DISABLED_MODULES: 'mcp-registry' },
    packages: 3600,
    gigabytes: 2.2,
  },
  [OLDEST]: {
    version: OLDEST,
    node: '20.20.2',
    // One copy of each: n8n's AI nodes tell by class whether an object is one of theirs.
    dependencies: { ...DATE_FNS, '@langchain/core': '1.1.0', zod: '3.25.67' },
    overrides: { xlsx: '0.18.5', linkedom: '0.18.12', '@langchain/langgraph-checkpoint': '1.0.0' },
    settings: {},
    packages: 1700,
    gigabytes: 1.4,
  },
} as const satisfies Record<string, Release>;

/** A release that is in the table. */
export type ReleaseName = keyof typeof RELEASES;

/** Those the package promises to work with: tests of what must hold on each run on all of them. */
export const SUPPORTED: readonly ReleaseName[] = [CURRENT, OLDEST];

/** @returns what is known of a release. */
export function releaseOf(name: ReleaseName): Release {
  return RELEASES[name];
}
