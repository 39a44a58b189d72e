/** A release of n8n that can be installed here, and what npm needs for it. */
export interface Release {
  version: string;
  /** Installed beside n8n when this process runs on another major version of Node. */
  node: string;
  /** Beside n8n at the root: peer dependencies, which are left out because they conflict, and single copies. */
  dependencies: Record<string, string>;
  /** Versions for dependencies whose range has come to include releases that break n8n or are no longer available. */
  overrides: Record<string, string>;
  /** Settings of n8n that not every release has. */
  settings: Record<string, string>;
  gigabytes: number;
}

/** The release that demo, pictures and release check run. */
export const CURRENT = '2.41.1' as const;

/** The oldest release the package is tested with. */
export const OLDEST = '2.35.7' as const;

// n8n's node "Extract from File" needs it.
const DATE_FNS = { 'date-fns': '2.30.0' };

const RELEASES = {
  [CURRENT]: {
    version: CURRENT,
    node: '24.21.0',
    dependencies: DATE_FNS,
    overrides: { linkedom: '0.18.12', '@langchain/langgraph': '1.4.17' },
    // It would fetch a list from n8n's own server.
    settings: { N8N_DISABLED_MODULES: 'mcp-registry' },
    gigabytes: 2.2,
  },
  [OLDEST]: {
    version: OLDEST,
    node: '24.21.0',
    dependencies: DATE_FNS,
    overrides: { linkedom: '0.18.12', '@langchain/langgraph': '1.4.17' },
    settings: { N8N_DISABLED_MODULES: 'mcp-registry' },
    gigabytes: 2.2,
  },
} as const satisfies Record<string, Release>;

/** A release that is in the table. */
export type ReleaseName = keyof typeof RELEASES;

/** The releases that the package promises to work with: what must hold on each is tested on all of them. */
export const SUPPORTED: readonly ReleaseName[] = [CURRENT, OLDEST];

/** @returns what is known of a release */
export function releaseOf(name: ReleaseName): Release {
  return RELEASES[name];
}
