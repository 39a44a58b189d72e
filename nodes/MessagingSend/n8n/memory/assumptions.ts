/**
 * What this node relies on although n8n does not promise it, all seen in {@link SEEN_IN}. Only files in `n8n/` touch it,
 * and the node's class, for n8n to find the operations. What a run can check at no cost, it checks.
 *
 * | what n8n does | used by | if it does otherwise |
 * | --- | --- | --- |
 * | The list of processed items: `checkProcessedAndRecord` writes immediately and says of each value whether it was there before; `removeProcessed` removes values; without `maxEntries`, nothing is dropped; each node of a workflow has its own list | `memory/listStorage.ts` | Checked with each write that repeats entries (`FactList.confirm`), and each answer by its number of values. Messages of Send Once are not sent, a Retry is uncertain, a hint says so. A list that knows everything lets nothing leave |
 * | `getContext('node')` is one object through all tries of a run; n8n stores it, and reads its getters, only after the node has ended; a Retry begins with it | `memory/kept.ts` | Checked at the start and at the end of a run. This process keeps an object of its own for Retry On Fail, the list knows the rest for a Retry, a hint says so |
 * | The `signature` in `$execution.resumeUrl` is a random token that an execution shares with its Retries | `memory/runData.ts` | Checked by its form. A Retry that finds no record is uncertain, a hint says so. A signature of the same form that changes with each Retry would not be noticed |
 * | After a kill, a run in the event log is entered again: with an error, of which Retry leaves an empty list of runs, or with an item that has the field {@link RECOVERED_SIGN} alone | `memory/runs.ts` | An only field of any other name counts as well |
 * | A Retry has the mode `retry`, and another ID; `$runIndex` counts the runs of a node from 0 | `memory/runs.ts`, `memory/attempts.ts` | In another mode, the crash ledger finds the requests of the first attempt when it notes its own: nothing leaves |
 * | `$(name, true)` gives whole items, whatever the workflow's `binaryMode` | `memory/runs.ts` | As for an unknown field, above |
 * | This package is loaded once in a process, so that all runs share its variables | `memory/listStorage.ts`, `memory/attempts.ts` | Two copies behave like two workers |
 * | `customOperations` come before the routing | `run.ts` | The routing, which has no record, refuses a Retry of a node that is no tool |
 * | The routing calls `pagination` once for each item, and in each try with the same `json` of it | `routing.ts`, `memory/kept.ts` | Not checked: only MCP servers and sub-agents come this way |
 * | A request is made once: n8n repeats one with status 401 only for credentials with `preAuthentication`, and follows no redirect with `disableFollowRedirect` | `http.ts` | Not checked: a second request would not be seen here |
 * | `credentialsDecrypted` replaces the node's credential for a request | `http.ts` | Not checked: n8n reads the one of the first item. Nothing is sent twice |
 * | `getNodeParameter` with `rawExpressions` gives a parameter as it is stored | `input/itemParameters.ts` | Compared with the node's own parameters, before one value is taken for all items: otherwise n8n evaluates each |
 * | `$rawParameter["&name"]` is a field of the credential as it is stored | {@link IS_FIXED} | The credential is read for each item |
 * | An expression in a credential that fails has the text {@link CREDENTIAL_EXPRESSION_FAILED} in its error | `input/account.ts` | The credential is read for further items |
 * | The type of a node that a model calls ends in `Tool`, of one whose calls a person approves in `HitlTool` | `tool.ts` | Not checked: a model would get shorter errors |
 * | n8n adds Request Options to the node, in `requestOptions` | `input/requestOptions.ts` | The defaults count |
 * | `{ error, details }` leaves through the error output, and `error` stays a text | `output/outputItems.ts` | Items leave through the first output, with the same fields |
 * | `putExecutionToWait` disables the node of the execution's stack, and the link's request finds `$(name).context` | `waiting.ts` | The page of the link says that it is closed |
 */
export const SEEN_IN = ['2.41.1', '2.35.7'] as const;

/** The only field of an item that n8n puts in place of an output that it has lost. */
export const RECOVERED_SIGN = 'isArtificialRecoveredEventItem';

/** The token that an execution shares with its Retries: 32 random bytes. */
export const TOKEN = /^[0-9a-f]{64}$/;

/** In the error of an expression in a credential. */
export const CREDENTIAL_EXPRESSION_FAILED = 'Error resolving credentials';

/**
 * Whether no field of the credential is an expression. n8n gives a node the credential with its expressions evaluated for
 * one item, so only the credential itself can say whether other items would get the same.
 *
 * `$rawParameter["&name"]` is another field of the same credential as it is stored, and an expression is stored with "=" in
 * front. The field first looks at itself, which is an expression for certain: without its "=", this n8n gives evaluated
 * values there, and nothing is known; nor is it where n8n gives none at all.
 */
export const IS_FIXED =
  '={{ (() => { try { return $rawParameter["&isFixed"].startsWith("=") && ![$rawParameter["&baseUrl"], $rawParameter["&apiKey"]].some((stored) => String(stored).startsWith("=")); } catch { return false; } })() }}';
