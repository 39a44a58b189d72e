/** A made-up API key, which a test's sandbox accepts and its workflow's credential contains. */
export const KEY = 'made-up-key-0123456789';
