/**
 * What the node relies on although n8n does not promise it. A run checks none of this: each point has a test that
 * fails when n8n changes it. It runs in real n8n: in the supported releases, and every night in the newest one.
 *
 * | what n8n does | used by | test in `test/e2e` |
 * | --- | --- | --- |
 * | The list of processed items, one for each node of a workflow: `checkProcessedAndRecord` writes immediately, and says of each value whether it was there before | `memory/listStorage.ts` | Retry after two kills, of which the first lost n8n's event log, sends the rest, and nothing twice |
 * | Without `maxEntries`, nothing is dropped from it | `memory/listStorage.ts` | n8n is killed while it waits for one of two countries: everybody of a large list gets it, once |
 * | `removeProcessed` removes values from it | `memory/listStorage.ts` | A call whose message was not sent can be repeated |
 * | `getContext('node')` is one object through all tries of a run; n8n stores it after the node has ended, and a Retry begins with it | `memory/openJournal.ts`, `run.ts`, `waiting.ts` | Retry On Fail and Retry send what was not sent, and report every message once |
 * | The `signature` in `$execution.resumeUrl` is a random token that an execution shares with its Retries, of the form {@link SIGNATURE}. Without it, what a killed attempt may have sent is uncertain | `execution.ts` | Retry after two kills, of which the first lost n8n's event log, sends the rest, and nothing twice |
 * | After a kill, a run in the event log is entered again: with an error, of which Retry leaves an empty list of runs | `execution.ts` | Retry after two kills, of which the first lost n8n's event log, sends the rest, and nothing twice |
 * | Or, if the node had ended, with an item that has the field {@link RECOVERED_SIGN}; `$(name, true)` gives it whole, whatever the workflow's `binaryMode`. Output that can't be read counts as a kill | `execution.ts` | Retry sends nothing when n8n was killed after the node had sent everything |
 * | A Retry has the mode `retry`, and another ID; `$runIndex` counts the runs of a node from 0 | `execution.ts` | Retry sends nothing when n8n was killed after the node had sent everything |
 * | This package is loaded once in a process, so that all runs share its variables | `memory/listStorage.ts`, `execution.ts` | The second sends nothing of an execution that ended with an error, either, and can be retried |
 * | `customOperations` come before the routing | `run.ts` | Retry On Fail and Retry send what was not sent, and report every message once |
 * | The second engine, which keeps nothing of a run, calls the routing of a workflow's node | `run.ts` | With On Error: Stop, every operation that sends ends before its first request, and names the engine that it needs |
 * | The routing calls `pagination` once for each item, and in each try with the same `json` of it | `routing.ts` | Retry On Fail sends what was not sent and nothing twice, and another call sends everything again |
 * | A request is made once: n8n repeats one with status 401 only for credentials with `preAuthentication`, and follows no redirect with `disableFollowRedirect` | `http.ts` | n8n repeats no request after a 401, and follows no redirect |
 * | `credentialsDecrypted` replaces the node's credential for a request | `http.ts` | A credential with expressions sends each item from its own account |
 * | `getNodeParameter` with `rawExpressions` gives a parameter as it is stored | `input/itemParameters.ts`, `input/readOptions.ts` | A credential with expressions sends each item from its own account |
 * | `$rawParameter["&name"]` is a field of the credential as it is stored: {@link IS_FIXED}. Unless that is true, the credential is read for each item | `input/credential.ts` | A credential with expressions sends each item from its own account |
 * | An expression in a credential that fails has the text {@link CREDENTIAL_EXPRESSION_FAILED} in its error | `input/credential.ts` | A credential with expressions sends each item from its own account |
 * | The type of a node that a model calls ends in `Tool` | `execution.ts` | A client gets the balance, sends a message, and a list with one request |
 * | Of one whose calls a person approves, in `HitlTool` | `execution.ts` | Each of several calls has its own question, and a link approves no other call |
 * | `{ error, details }` leaves through the error output, and `error` stays a text | `output/outputItems.ts` | With the second output the first Retry succeeds, and n8n offers no further one |
 * | `putExecutionToWait` disables the node of the execution's stack, and the link's request finds `$(name).context` | `waiting.ts` | Each of several calls has its own question, and a link approves no other call |
 */

/** In the one item that replaces an output that n8n has lost. */
export const RECOVERED_SIGN = 'isArtificialRecoveredEventItem';

/** The token that an execution shares with its Retries: 32 random bytes. */
export const SIGNATURE = /[?&]signature=([0-9a-f]{64})(?:&|$)/;

/** In the error of an expression in a credential. */
export const CREDENTIAL_EXPRESSION_FAILED = 'Error resolving credentials';

/**
 * Whether no field of the credential is an expression. n8n evaluates a credential's expressions for one item, so only
 * the credential itself can say whether other items would get the same. `$rawParameter["&name"]` is another field as it
 * is stored; an expression is stored with "=" in front.
 */
export const IS_FIXED =
  '={{ ![$rawParameter["&baseUrl"], $rawParameter["&apiKey"]].some((stored) => String(stored).startsWith("=")) }}';
