/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** The release that demo and pictures run. */
export const CURRENT = '2.41.1' as const;

/** The oldest release the package is tested with. */
const OLDEST = '2.35.7' as const;

/** A release of n8n that can be installed here. */
export type ReleaseName = typeof CURRENT | typeof OLDEST;

/** The Node that they run on. */
export const NODE_VERSION = '24.21.0';

/** Names a command that starts another n8n, such as one in a container, in place of these releases. */
export const N8N_VARIABLE = 'MESSAGING_SEND_N8N';

/** Leaves out the oldest release, if set to anything, to save time. */
export const NEWEST_ONLY_VARIABLE = 'MESSAGING_SEND_NEWEST_ONLY';

/**
 * The releases that the package supports, all of which are tested. If a command is given, its n8n replaces the newest
 * one.
 */
export const SUPPORTED: readonly ReleaseName[] =
  process.env[N8N_VARIABLE] === undefined && process.env[NEWEST_ONLY_VARIABLE] === undefined
    ? [CURRENT, OLDEST]
    : [CURRENT];
