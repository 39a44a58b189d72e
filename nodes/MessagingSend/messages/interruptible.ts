/** Work over many messages that yields wherever it can be interrupted, so that n8n can serve others meanwhile. */
export type Interruptible<Result> = Generator<void, Result>;
