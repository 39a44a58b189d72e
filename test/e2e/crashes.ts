/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { type Fault } from '../../sandbox/server';
import { type Execution } from '../../tools/n8n/execution';
import {
  callWebhook,
  chain,
  type JsonObject,
  messagingSend,
  SENDER,
  webhook,
  type WorkflowNode,
} from '../../tools/n8n/workflow';

/** Longer than any test: n8n is killed before it gets the answer. */
const LONG_AFTER_THE_KILL = 600_000;

/** One request after the other; all victims together make more than 60 in a minute. */
const OPTIONS = { parallelRequests: 1, requestsPerMinute: 10_000 };
export const CONTINUE = { onError: 'continueRegularOutput' };

/** How many messages a victim with Send Bulk sends by default: five requests. */
export const MESSAGES = 450;
export const indexes = (count = MESSAGES): number[] => Array.from({ length: count }, (_slot, index) => index);

/** A workflow in which n8n is killed. Its texts begin with its name in brackets, which identifies its messages. */
export interface Victim {
  readonly name: string;
  readonly workflow: JsonObject;
  /** This many of its requests with messages are answered; n8n is killed when the next one has arrived. */
  readonly answered: number;
  /** How many messages have arrived by then. */
  readonly arrived: number;
  /** Whether n8n is killed in a later node, which reads the balance. */
  readonly isFinished?: boolean;
}

interface ListOptions {
  messages?: number;
  /** On its Settings tab. */
  settings?: JsonObject;
  after?: WorkflowNode[];
}

/** A list for Send Bulk as an expression; without a text it is `listOf(count)`. */
export const listExpression = (count: number, text = "'Hello ' + index"): string =>
  `={{ Array.from({ length: ${count} }, (_, index) => ({ phone: '4477009' + String(index).padStart(5, '0'), message: ${text} })) }}`;

export function bulkList(name: string, { messages = MESSAGES, settings, after = [] }: ListOptions = {}): Victim {
  const parameters = {
    resource: 'message',
    operation: 'sendBulk',
    source: 'json',
    messages: listExpression(messages, `'[${name}] ' + index`),
    options: OPTIONS,
  };
  const nodes = [webhook(name), messagingSend(parameters, settings), ...after];
  // In the third of five requests.
  return { name, workflow: chain(name, nodes), answered: 2, arrived: 300 };
}

/** Send Bulk, which has sent everything when n8n is killed in a later node, in a workflow with the newer kind of items. */
export function finished(name: string): Victim {
  const balance = { resource: 'balance', operation: 'get', options: { requestsPerMinute: 10_000 } };
  const later = messagingSend(balance, { name: 'Later', executeOnce: true });
  const victim = bulkList(name, { after: [later] });
  const workflow = { ...victim.workflow, settings: { executionOrder: 'v1', binaryMode: 'combined' } };
  return { ...victim, workflow, answered: 5, arrived: MESSAGES, isFinished: true };
}

interface Killed {
  readonly started?: readonly Victim[];
  /** Victims whose newest execution is retried. */
  readonly retried?: readonly Victim[];
  readonly losesEventLog?: boolean;
}

/** Kills n8n in many executions at the same moment, and retries each: one start of n8n for all of them. */
export class Crashes {
  /** Workflows as n8n keeps them, by the name of their victim. */
  private readonly stored = new Map<string, JsonObject>();

  constructor(private readonly instance: () => InstanceWithSandbox) {}

  /** Kills n8n in all these executions, starts it again and waits until it has noticed. */
  async kill({ started = [], retried = [], losesEventLog = false }: Killed): Promise<void> {
    const victims = [...started, ...retried];
    const { sandbox, n8n, rest } = this.instance();
    sandbox.setFaults([
      ...victims.map(({ name, answered }): Fault => {
        return { kind: 'delay', ms: LONG_AFTER_THE_KILL, text: `[${name}]`, after: answered };
      }),
      // For a node that runs after one that has sent everything.
      { kind: 'delay', ms: LONG_AFTER_THE_KILL, on: 'balance', probability: 1 },
    ]);
    for (const victim of started) await this.start(victim);
    for (const { name } of retried) {
      // It is answered only when the Retry has ended.
      void rest.retry(await this.newestId(name)).catch(() => undefined);
    }
    for (const victim of victims)
      await this.instance().waitFor(`the last request of ${victim.name}`, 60, () => this.isInFlight(victim));
    await n8n.kill();
    if (losesEventLog) await removeEventLog(this.instance());
    sandbox.setFaults([]);
    await this.instance().restart();
    for (const { name } of victims) await this.instance().rest.waitForExecution(await this.newestId(name));
  }

  /** Retries an execution of a victim; without its id, the newest one. */
  async retry(name: string, id?: string): Promise<Execution> {
    return await this.instance().rest.retry(id ?? (await this.newestId(name)));
  }

  /**
   * Starts an execution in which the service rejects all requests but the first two, and waits for its error. @returns
   * its ID
   */
  async failAfterTwo(victim: Victim): Promise<string> {
    const { sandbox, rest } = this.instance();
    sandbox.setFaults([{ kind: 'status', status: 403, text: `[${victim.name}]`, after: 2 }]);
    const id = await this.start(victim);
    assert.equal((await rest.waitForExecution(id)).status, 'error');
    assert.deepEqual(this.received(victim.name), indexes(200));
    sandbox.setFaults([]);
    return id;
  }

  async newestId(name: string): Promise<string> {
    const [newest] = await this.executions(name);
    assert.ok(newest !== undefined, `${name} has no execution`);
    return newest.id;
  }

  async canBeRetried(name: string, id: string): Promise<boolean | undefined> {
    return (await this.executions(name)).find((each) => each.id === id)?.canBeRetried;
  }

  /** The indexes of the messages that have arrived from a victim; one that arrived twice is there twice. */
  received(name: string): number[] {
    const own = this.instance()
      .sandbox.messages()
      .filter(({ message }) => message.startsWith(`[${name}]`));
    return own.map(({ message }) => Number(/^\S+ (\d+)/.exec(message)?.[1])).sort((left, right) => left - right);
  }

  private async executions(name: string) {
    return await this.instance().rest.executionsOf(this.workflow(name));
  }

  private workflow(name: string): JsonObject {
    const workflow = this.stored.get(name);
    if (workflow === undefined) throw new Error(`${name} has not been started`);
    return workflow;
  }

  /** @returns the id of the execution */
  private async start({ name, workflow }: Victim): Promise<string> {
    const { rest, n8n, credential } = this.instance();
    const stored = await rest.importWorkflow(workflow, [credential]);
    await rest.activate(stored);
    this.stored.set(name, stored);
    const { status, text } = await callWebhook(n8n.url, name, {});
    assert.equal(status, 200, text);
    return await this.instance().waitFor(
      `an execution of ${name}`,
      30,
      async () => (await this.executions(name))[0]?.id,
    );
  }

  private isInFlight({ name, arrived, isFinished }: Victim): true | undefined {
    const requests = this.instance().sandbox.requests();
    const isBalanceRead = requests.some(({ endpoint, duration_ms }) => endpoint === 'balance' && duration_ms === null);
    return (this.received(name).length === arrived && (isFinished !== true || isBalanceRead)) || undefined;
  }
}

/** Removes the log that tells n8n at its start which nodes were running when it was killed. */
async function removeEventLog({ folder }: InstanceWithSandbox): Promise<void> {
  const home = path.join(folder, '.n8n');
  const logs = (await readdir(home)).filter((name) => name.startsWith('n8nEventLog'));
  assert.ok(logs.length > 0, 'n8n has an event log');
  await Promise.all(logs.map((name) => rm(path.join(home, name))));
}

/**
 * What an execution reports about its messages, in the order of the input: runs of the same outcome with their length.
 * A message that an earlier attempt has sent is `before`, no matter which memory knows it.
 */
export function reported(execution: Execution, node = SENDER): Array<[outcome: string, messages: number]> {
  const groups: Array<[string, number]> = [];
  for (const { json } of execution.outputOf(node)) {
    // n8n enters an item of its own for a run that it lost.
    if (json.isArtificialRecoveredEventItem === true) continue;
    const outcome = outcomeOf(json);
    const last = groups.at(-1);
    if (last?.[0] === outcome) last[1] += 1;
    else groups.push([outcome, 1]);
  }
  return groups;
}

export function outcomeOf({ status, reason, message_id: id, error, details }: JsonObject): string {
  if (status === 'skipped') return String(reason);
  if (error === undefined) return id === null ? 'before' : String(status);
  return String((details as JsonObject | undefined)?.outcome);
}
