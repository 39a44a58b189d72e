/**
 * The words that services use for the outcome of a message, as `words` writes them. The API shows only the status `sent`
 * (part 3) and no field that denies it.
 */

export const SENT = /^(sent|delivered)$/;
export const ON_ITS_WAY = /^(queued|accepted|scheduled|pending)$/;
/** In a list of refused messages, these may only mean that a message is valid. */
export const FINE = /^(success|ok|no_errors?)$/;

/** Statuses that need no other words. */
export const PLAINLY_NOT_SENT =
  /^(failed|failure|error|rejected|invalid|refused|not_sent|unsent|skipped|blocked|cancell?ed|undeliverable)$/;

export const NOT_SENT =
  /^(fail|errored|declined|denied|dropped|discarded|forbidden|unauthori[sz]ed|opted_out|unsubscribed|unregistered|unsupported|black_?listed|block_?listed|false)$|^(not?|invalid|insufficient|out_of|failed_to|rejected|blocked|refused|unknown|unregistered|unsupported|bad)_|_(failed|failure|error|rejected|refused|blocked|denied|declined|invalid|cancell?ed|exceeded|not_found|missing)$/;

/** The message may have left and not arrived, may be sent later, or the service itself does not know. */
export const UNCLEAR =
  /^((un|not_|non_)deliver(ed|y)|delivery_(failed|failure|error|rejected)|(.+_)?expired|bounced?|unknown|unknown_status|(un|not_)confirmed|unclear|lost|aborted|unreachable|throttled|suspended|.+_limited|partial.*|not_yet_.+|(temp|soft|retry).*|http_.+|connection_.+|no_(response|answer|ack.*)|unknown_(state|result|outcome|reason)|(un|in)determin.+|(.+_)?unavailable)$/;
