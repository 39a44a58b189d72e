import type { IExecuteFunctions } from 'n8n-workflow';

import { SEND } from '../../nodes/MessagingSend/delivery/operation';
import { failure } from '../../nodes/MessagingSend/failures/failure';
import { type Unsendable, unsendable } from '../../nodes/MessagingSend/messages/message';
import { sendForRun } from '../../nodes/MessagingSend/n8n/run';
import { readDeliveryOptions } from '../../nodes/MessagingSend/resources/message/options';
import { KEY } from '../support/account';
import { nodeOfType } from '../support/node';

/** What a run asks of n8n, with On Error set to Continue and these parameters. */
function contextWith(parameters: Record<string, unknown>): IExecuteFunctions {
  const context = {
    getNodeParameter: (path: string, _item: number, fallback: unknown) => parameters[path] ?? fallback,
    getCredentials: async () => await Promise.resolve({ baseUrl: 'http://127.0.0.1/v1', apiKey: KEY, isFixed: true }),
    getInputData: () => [],
    getExecutionCancelSignal: () => undefined,
    continueOnFail: () => true,
    getTimezone: () => 'Etc/UTC',
    getMode: () => 'manual',
    getContext: () => ({}),
    getExecutionId: () => '1',
    getWorkflow: () => ({}),
    getWorkflowDataProxy: () => ({ $runIndex: 0 }),
    sendMessageToUI: () => undefined,
    getNode: () => nodeOfType('messagingSend'),
    addExecutionHints: () => undefined,
    logger: { info: () => undefined },
  };
  return context as unknown as IExecuteFunctions;
}

test('Items whose expressions are slow do not block n8n, even if an option is wrong', async () => {
  let turns = 0;
  let turnsMeanwhile = 0;
  const slow = (item: number): Unsendable => {
    const end = performance.now() + 1;
    while (performance.now() < end);
    turnsMeanwhile = turns;
    return unsendable({ item, entry: null, phone: null }, failure('phoneEmpty'));
  };
  const job = {
    operation: SEND,
    drafts: { items: 100, of: slow },
    readOptions: readDeliveryOptions,
  };
  const others = setInterval(() => (turns += 1), 1);
  const context = contextWith({ 'options.parallelRequests': 0 });
  const { items } = await sendForRun(context, job).finally(() => clearInterval(others));
  expect(items).toHaveLength(100);
  expect(items[0]?.json.error).toBe("'Parallel Requests' must be a number of at least 1");
  expect(turnsMeanwhile).toBeGreaterThanOrEqual(3);
});
