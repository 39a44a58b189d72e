/** A release of n8n that can be installed here, and what npm needs for it. */
export interface Release {
  version: string;
  /** Installed beside n8n when this process runs on another major version of Node. */
  node: string;
  /** Beside n8n at the root: peer dependencies, which are left out because they conflict. */
  dependencies: Record<string, string>;
  /** Versions for dependencies whose range has come to include releases that break n8n or are no longer available. */
  overrides: Record<string, string>;
  gigabytes: number;
}

/** The release that demo, pictures and release check run. */
export const CURRENT = '2.41.1' as const;

/** The oldest release the package is tested with. */
export const OLDEST = '2.35.7' as const;

/** A release that {@link releaseOf} knows. */
export type ReleaseName = typeof CURRENT | typeof OLDEST;

/** Names a command that starts another n8n, such as one in a container, in place of these releases. */
export const N8N_VARIABLE = 'MESSAGING_SEND_N8N';

/**
 * The releases that the package promises to work with: what must hold on each is tested on all of them. An n8n that is
 * given stands for the newest one.
 */
export const SUPPORTED: readonly ReleaseName[] =
  process.env[N8N_VARIABLE] === undefined ? [CURRENT, OLDEST] : [CURRENT];

/** @returns what is known of a release: so far, all need the same */
export function releaseOf(name: ReleaseName): Release {
  return {
    version: name,
    node: '24.21.0',
    // n8n's node "Extract from File" needs it.
    dependencies: { 'date-fns': '2.30.0' },
    overrides: { linkedom: '0.18.12', '@langchain/langgraph': '1.4.17' },
    gigabytes: 2.4,
  };
}
