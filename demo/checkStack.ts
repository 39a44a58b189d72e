import { type Check, checkOutcome } from './checks';
import type { Contact } from './contacts';
import { checkCredentialTest } from './credentialChecks';
import { type Outcome, readCounters, readOutcome } from './outcome';
import type { Stack } from './stack';

const RUN_DEADLINE_SECONDS = 300;

/** Runs the example workflow once, and collects what came of it. */
export async function runExample({ rest, sandbox, example, workflow }: Stack, signal: AbortSignal): Promise<Outcome> {
  const before = await readCounters(sandbox.url);
  const id = await rest.run(workflow, example.trigger);
  const execution = await rest.waitForExecution(id, { seconds: RUN_DEADLINE_SECONDS, signal });
  return await readOutcome(execution, example, sandbox.url, before);
}

/**
 * Checks everything the demo promises.
 *
 * @param outcome   of {@link runExample}
 * @param contacts  the list it ran with
 */
export async function checkStack(stack: Stack, outcome: Outcome, contacts: Contact[]): Promise<Check[]> {
  return [...checkOutcome(outcome, contacts, stack.example), ...(await checkCredentialTest(stack))];
}
