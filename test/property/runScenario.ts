import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../../sandbox/server';
import { type Execution, retryExecution, runWorkflow, type Setup } from '../support/engine/workflow';
import { WITHOUT_WAITING } from '../support/parameters';
import { accountOf } from '../support/sandbox';
import { checkArrivals, checkIds, checkKeptNothing, checkNoSecret, checkOrder } from './checks';
import { messagesOf } from './messages';
import { readOutputs, readRecord } from './reported';
import type { Input, Scenario } from './scenario';

/**
 * Runs a scenario in n8n's engine with the sandbox, and checks the node's promises after the first run and each retry.
 * @throws the first promise that is not kept
 */
export async function runScenario(scenario: Scenario, sandbox: Sandbox): Promise<void> {
  sandbox.reset();
  const setup = setupOf(scenario, sandbox);
  const messages = messagesOf(scenario);
  let execution: Execution | null = null;
  for (const { faults, credits } of scenario.rounds) {
    sandbox.setFaults(faults);
    sandbox.setCredits(credits);
    const before = sandbox.messages().length;
    execution = execution === null ? await runWorkflow(setup) : await retryExecution(execution, setup);
    const stopped = execution.error !== undefined;

    checkNoSecret(execution);
    if (!stopped) checkIds(scenario, messages, execution, sandbox.messages());
    const report = stopped ? readRecord(messages, execution) : readOutputs(scenario, messages, execution);
    checkArrivals(scenario, messages, report, sandbox.messages(), stopped);
    if (scenario.maxTries === null && scenario.options.uncertain === 'report') {
      checkOrder(messages, sandbox.messages().slice(before));
    }
    if (!stopped) {
      checkKeptNothing(report, execution);
      return;
    }
  }
}

function setupOf(
  { operation, source, inputs, onError, maxTries, batchSize, options }: Scenario,
  sandbox: Sandbox,
): Setup {
  const fields =
    source === 'items'
      ? { phone: '={{ $json.phone }}', message: '={{ $json.text }}' }
      : { messages: '={{ $json.list }}' };
  const list = (own: Input[]) => own.map(({ phone, text }) => ({ phone, message: text }));
  return {
    account: accountOf(sandbox),
    // An item of a user can contain anything.
    items: inputs.map(
      (own) => (source === 'items' ? { phone: own[0]?.phone, text: own[0]?.text } : { list: list(own) }) as IDataObject,
    ),
    parameters: {
      resource: 'message',
      operation,
      source,
      ...fields,
      options: { ...options, ...WITHOUT_WAITING },
      ...(batchSize !== null && { requestOptions: { batching: { batch: { batchSize, batchInterval: 0 } } } }),
    },
    onError,
    ...(maxTries !== null && { retryOnFail: { maxTries } }),
  };
}
