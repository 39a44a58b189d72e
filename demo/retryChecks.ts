import { equal, type Check } from './checks.js';
import type { Execution } from './execution.js';
import type { Stack } from './stack.js';

const MESSAGES = 250;
const TRIGGER = 'Start';
const SENDER = 'Messaging Send';
const DEADLINE_SECONDS = 60;

/**
 * Lets runs of 250 messages fail in the middle, has n8n run them again in each of its ways, and
 * compares what the sandbox got with what n8n tells: each message once.
 */
export async function checkRetry(stack: Stack, signal: AbortSignal): Promise<Check[]> {
  const { rest, sandbox } = stack;
  const refuseTheSecond = () => {
    sandbox.reset();
    sandbox.setFaults([{ kind: 'status', status: 403, on: 'bulk', after: 1, times: 1 }]);
  };
  const run = async (settings: object): Promise<Execution> => {
    const workflow = await rest.importWorkflow(workflowWith(settings), [stack.credential]);
    return await rest.waitForExecution(await rest.run(workflow, TRIGGER), { seconds: DEADLINE_SECONDS, signal });
  };

  refuseTheSecond();
  const failed = await run({});
  const sentBefore = sandbox.messages().length;
  const retried = await rest.waitForExecution(await rest.retry(failed.id), { seconds: DEADLINE_SECONDS, signal });
  const checks = [
    equal('a run fails in the middle', [failed.status, sentBefore >= 100, sentBefore < MESSAGES], ['error', true, true]),
    ...eachOnce('Retry in the list of executions', stack, retried),
  ];

  for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput']) {
    refuseTheSecond();
    // With Continue, n8n runs the node again only if the first item failed: here it alone does.
    if (onError !== 'stopWorkflow') {
      sandbox.setFaults([{ kind: 'status', status: 422, on: 'bulk', times: 1, fields: ['messages.0.phone'] }]);
    }
    const again = await run({ retryOnFail: true, maxTries: 2, waitBetweenTries: 100, onError });
    checks.push(...eachOnce(`Retry On Fail with ${onError}`, stack, again));
  }
  return checks;
}

function eachOnce(name: string, { sandbox }: Stack, execution: Execution): Check[] {
  const sent = execution.runsOf(SENDER).at(-1)?.outputs[0] ?? [];
  const phones = Array.from({ length: MESSAGES }, (_slot, index) => phoneAt(index));
  return [
    equal(`${name}: the run ends well, with every message sent`, [execution.status, sent.map(({ json }) => json['phone'])], ['success', phones]),
    equal(`${name}: the sandbox has each message once`, sandbox.messages().map(({ phone }) => phone).sort(), phones),
  ];
}

function workflowWith(settings: object) {
  const list = `={{ Array.from({ length: ${MESSAGES} }, (_, index) => ({ phone: '4477009' + String(index).padStart(5, '0'), message: 'Hello ' + index })) }}`;
  return {
    name: 'Retry',
    nodes: [
      { id: 'a', name: TRIGGER, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} },
      {
        id: 'b',
        name: SENDER,
        type: 'n8n-nodes-messaging-send.messagingSend',
        typeVersion: 1,
        position: [200, 0],
        parameters: { resource: 'message', operation: 'sendBulk', source: 'json', messages: list },
        credentials: { messagingSendApi: { id: '', name: '' } },
        ...settings,
      },
    ],
    connections: { [TRIGGER]: { main: [[{ node: SENDER, type: 'main', index: 0 }]] } },
    settings: { executionOrder: 'v1' },
    active: false,
  };
}

function phoneAt(index: number): string {
  return `4477009${String(index).padStart(5, '0')}`;
}
