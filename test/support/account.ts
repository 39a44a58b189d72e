/** A made-up API key, which the sandbox of a test accepts and the credential of its workflow holds. */
export const KEY = 'made-up-key-0123456789';
