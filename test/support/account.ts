/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** A made-up API key, which a test's sandbox accepts and its workflow's credential contains. */
export const KEY = 'made-up-key-0123456789';
