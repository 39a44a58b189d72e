import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { type Fault } from '../../sandbox/server';
import { asObject, asObjects, type JsonObject } from '../../tools/json';
import { type Execution } from '../../tools/n8n/execution';
import { SENDER } from '../support/n8n/workflow';
import { receivedBy } from './recipients';

/** Longer than any test: n8n is killed before it gets the answer. */
const LONG_AFTER_THE_KILL = 600_000;

/** A workflow that n8n is killed in. Its texts begin with its name in brackets, so that its messages are known. */
export interface Victim {
  readonly name: string;
  readonly workflow: JsonObject;
  /** So many of its requests with messages are answered; n8n is killed when the next one has arrived. */
  readonly answered: number;
  /** How many messages have arrived by then. */
  readonly arrived: number;
  /** Whether n8n is killed in a later node, which reads the balance. */
  readonly isFinished?: boolean;
  /** Whether it waits again and again for a call of `$execution.resumeUrl`, which its texts contain. */
  readonly waits?: boolean;
}

/** The executions that n8n is killed in. */
interface Killed {
  /** Victims that an execution is started of. */
  readonly started?: readonly Victim[];
  /** Victims of which the newest execution is retried. */
  readonly retried?: readonly Victim[];
  /** Whether n8n's event log is lost as well. */
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
    for (const victim of victims) {
      await this.instance().waitFor(`the last request of ${victim.name}`, 60, () => this.isInFlight(victim));
    }
    await n8n.kill();
    if (losesEventLog) await removeEventLog(this.instance());
    sandbox.setFaults([]);
    await this.instance().restart();
    for (const { name } of victims) await this.instance().rest.waitForExecution(await this.newestId(name));
  }

  /** Retries an execution of a victim; without its id, the newest one. */
  async retry(name: string, id?: string, loadWorkflow = false): Promise<Execution> {
    return await this.instance().rest.retry(id ?? (await this.newestId(name)), undefined, loadWorkflow);
  }

  /** Retries the newest execution of a victim with the saved workflow, in which a node has other parameters. */
  async retrySaved(name: string, node: string, change: (parameters: JsonObject) => JsonObject): Promise<Execution> {
    const workflow = this.workflow(name);
    const changed = asObjects(workflow.nodes, 'nodes').map((each) =>
      each.name === node ? { ...each, parameters: change(asObject(each.parameters, 'parameters')) } : each,
    );
    await this.instance().rest.saveNodes(workflow, changed);
    return await this.retry(name, undefined, true);
  }

  /**
   * Starts an execution that ends with an error.
   *
   * @returns its id
   */
  async fail(victim: Victim): Promise<string> {
    const id = await this.start(victim);
    assert.equal((await this.instance().rest.waitForExecution(id)).status, 'error');
    return id;
  }

  /** Retries the newest execution of a victim that waits for calls, and makes them. */
  async retryWithCalls(name: string): Promise<Execution> {
    const { rest } = this.instance();
    const before = await this.ids(name);
    // n8n may answer it when the Retry waits, or when it ends.
    void rest.retry(before.at(-1) ?? '').catch(() => undefined);
    const id = await this.instance().waitFor('the Retry to end', 60, async () => {
      await this.resume(name);
      const [newest] = await rest.executionsOf(this.workflow(name));
      return newest !== undefined && !before.includes(newest.id) && newest.status === 'success' ? newest.id : undefined;
    });
    return await rest.waitForExecution(id);
  }

  async newestId(name: string): Promise<string> {
    const id = (await this.ids(name)).at(-1);
    assert.ok(id !== undefined, `${name} has no execution`);
    return id;
  }

  /** The ids of all executions of a victim, the oldest first. */
  private async ids(name: string): Promise<string[]> {
    const listed = await this.instance().rest.executionsOf(this.workflow(name));
    return listed.map(({ id }) => id).toReversed();
  }

  /** A victim's workflow as n8n keeps it. */
  workflow(name: string): JsonObject {
    const workflow = this.stored.get(name);
    if (workflow === undefined) throw new Error(`${name} has not been started`);
    return workflow;
  }

  /** The indexes of the messages that have arrived from a victim; one that arrived twice is there twice. */
  received(name: string): number[] {
    const own = receivedBy(this.instance().sandbox).filter(({ message }) => message.startsWith(`[${name}]`));
    return own.map(({ message }) => Number(/^\S+ (\d+)/.exec(message)?.[1])).sort((left, right) => left - right);
  }

  /** @returns the id of the execution */
  private async start({ name, workflow }: Victim): Promise<string> {
    const { rest, n8n, credential } = this.instance();
    const stored = await rest.importWorkflow(workflow, [credential]);
    await rest.activate(stored);
    this.stored.set(name, stored);
    const answer = await fetch(`${n8n.url}/webhook/${name}`, { method: 'POST' });
    assert.equal(answer.status, 200, await answer.text());
    return await this.instance().waitFor(`an execution of ${name}`, 30, async () => (await this.ids(name))[0]);
  }

  /** Whether the last request before the kill has arrived. */
  private async isInFlight({ name, arrived, waits, isFinished }: Victim): Promise<true | undefined> {
    if (waits === true) await this.resume(name);
    const requests = this.instance().sandbox.requests();
    const isBalanceRead = requests.some(({ endpoint, duration_ms }) => endpoint === 'balance' && duration_ms === null);
    return (this.received(name).length === arrived && (isFinished !== true || isBalanceRead)) || undefined;
  }

  /** Lets the newest execution go on, if it waits for a call. */
  private async resume(name: string): Promise<void> {
    const [newest] = await this.instance().rest.executionsOf(this.workflow(name));
    if (newest?.status !== 'waiting') return;
    const texts = this.instance()
      .sandbox.messages()
      .map(({ message }) => message);
    const url = new URL(/http\S+/.exec(texts.find((text) => text.startsWith(`[${name}]`)) ?? '')?.[0] ?? '');
    // A Retry has the signature of the first execution, and an id of its own.
    await fetch(`${this.instance().n8n.url}/webhook-waiting/${newest.id}${url.search}`);
  }
}

/** Removes the log from which n8n sees at its start which nodes were running when it was killed. */
export async function removeEventLog({ folder }: InstanceWithSandbox): Promise<void> {
  const home = path.join(folder, '.n8n');
  const logs = (await readdir(home)).filter((name) => name.startsWith('n8nEventLog'));
  assert.ok(logs.length > 0, 'n8n has an event log');
  await Promise.all(logs.map((name) => rm(path.join(home, name))));
}

/** What an execution reports of its messages, in the order of the input: runs of the same outcome with their length. */
export function reported(execution: Execution, node = SENDER): Array<[outcome: string, messages: number]> {
  const groups: Array<[string, number]> = [];
  for (const run of execution.runsOf(node)) {
    // n8n enters an item of its own for a run that it lost.
    for (const { json } of run.outputs[0] ?? []) {
      if (json.isArtificialRecoveredEventItem === true) continue;
      const outcome = outcomeOf(json);
      const last = groups.at(-1);
      if (last?.[0] === outcome) last[1] += 1;
      else groups.push([outcome, 1]);
    }
  }
  return groups;
}

function outcomeOf({ status, message_id: id, error, details }: JsonObject): string {
  if (error === undefined) return id === null ? `${String(status)} before` : String(status);
  const { outcome, code } = (details ?? {}) as JsonObject;
  return `${String(outcome)} (${String(code)})`;
}
