/**
 * Which messages a failure is about: `run` means that every other request would fail alike (a wrong key, no credits),
 * `request` that only this one is concerned; `unclear` is an answer that fits both (a 403, perhaps of a firewall).
 */
export type Scope = 'request' | 'run' | 'unclear';

/** Whether nothing was sent, so that sending again is safe, or the message may have been sent already. */
export type SendAgain = 'safe' | 'checkFirst';

/** One kind of failure. Whatever varies from case to case is passed in as values. */
export interface Entry<Values, Code extends string> {
  /** Shown as `details.code` of an item; docs/errors.md explains each. */
  readonly code: Code;
  readonly scope: Scope;
  readonly sendAgain: SendAgain;
  readonly message: (values: Values) => string;
  readonly advice: (values: Values) => string;
}

type Text<Values> = string | ((values: Values) => string);

/** Declares entries with a code, after which sending again is safe: `withCode(code, scope)(message, advice)`. */
export function withCode<const Code extends string>(
  code: Code,
  scope: Scope = 'request',
  sendAgain: SendAgain = 'safe',
) {
  return <Values = undefined>(message: Text<Values>, advice: Text<Values> = ''): Entry<Values, Code> => {
    const asFunction = (text: Text<Values>) => (typeof text === 'string' ? () => text : text);
    return { code, scope, sendAgain, message: asFunction(message), advice: asFunction(advice) };
  };
}

/** Declares entries after which the message may have been sent. */
export function uncertainWithCode<const Code extends string>(code: Code, scope: Scope = 'request') {
  return withCode(code, scope, 'checkFirst');
}
