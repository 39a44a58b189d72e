/** Real n8n with a packed package, for what n8n's engine alone can't show. */
import { randomUUID } from 'node:crypto';

import type { Session } from '../tools/cli/session';
import { asObject, asObjects, type JsonObject } from '../tools/json';
import { N8nInstance } from '../tools/n8n/instance';
import { unpackPackage } from '../tools/n8n/package';
import { UNLIMITED } from './contenders';
import type { RemoteSandbox } from './sandbox';

/** A node of a workflow; the rest is the same for all. */
interface Node {
  readonly name: string;
  readonly type: string;
  readonly typeVersion: number;
  readonly parameters: JsonObject;
}

export const SENDER = 'Messaging Send';

export function sender(operation: 'send' | 'sendBulk', fields: JsonObject): Node {
  const parameters = { resource: 'message', operation, source: 'items', options: UNLIMITED, ...fields };
  return { name: SENDER, type: 'n8n-nodes-messaging-send.messagingSend', typeVersion: 1, parameters };
}

/** An n8n with a package, whose workflows send to a sandbox. */
export class RealN8n {
  private constructor(
    private readonly instance: N8nInstance,
    private readonly credential: Awaited<ReturnType<N8nInstance['storeAccount']>>,
  ) {}

  /** @param change changes the package, which is unpacked in this folder */
  static async start(
    tarball: string,
    { url }: RemoteSandbox,
    session: Session,
    change?: (folder: string) => Promise<void>,
  ): Promise<RealN8n> {
    const providePackage = async (userFolder: string) => {
      const folder = await unpackPackage(tarball, userFolder, session.signal);
      await change?.(folder);
    };
    const instance = await N8nInstance.start({ purpose: 'bench', providePackage }, session);
    return new RealN8n(instance, await instance.storeAccount({ url }));
  }

  /** Stores a workflow: a webhook at this path, which answers when the nodes after it have run one after the other. */
  async publish(path: string, nodes: readonly Node[]): Promise<JsonObject> {
    const parameters = { httpMethod: 'POST', path, responseMode: 'lastNode' };
    const webhook = { name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, webhookId: path, parameters };
    const all: Node[] = [webhook, ...nodes];
    const next = nodes.map(({ name }, index): [string, JsonObject] => [
      all[index]?.name ?? '',
      { main: [[{ node: name, type: 'main', index: 0 }]] },
    ]);
    const credentials = { messagingSendApi: { id: '', name: '' } };
    const stored = await this.instance.rest.importWorkflow(
      {
        name: path,
        nodes: all.map((node, index) => ({
          id: randomUUID(),
          position: [220 * index, 0],
          ...(node.name === SENDER && { credentials }),
          ...node,
        })),
        connections: Object.fromEntries(next),
        settings: { executionOrder: 'v1' },
      },
      [this.credential],
    );
    await this.instance.rest.activate(stored);
    return stored;
  }

  /** Changes the options of a published workflow's sending node. */
  async setOptions(workflow: JsonObject, options: JsonObject): Promise<void> {
    const { rest } = this.instance;
    await rest.deactivate(workflow);
    const nodes = asObjects(workflow.nodes, 'workflow.nodes').map((node) =>
      node.name === SENDER ? { ...node, parameters: { ...asObject(node.parameters, 'parameters'), options } } : node,
    );
    await rest.activate(await rest.saveNodes(workflow, nodes));
  }

  /** Calls the webhook at a path. */
  async call(path: string, body: JsonObject): Promise<void> {
    const answer = await fetch(`${this.instance.n8n.url}/webhook/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await answer.text();
    if (!answer.ok) throw new Error(`n8n answered a call with ${answer.status}.\n${this.instance.n8n.endOfLog()}`);
  }

  /** How long the sending node took in a workflow's newest execution, in milliseconds. */
  async timeOfNewest(workflow: JsonObject): Promise<number> {
    const { rest } = this.instance;
    const [newest] = await rest.executionsOf(workflow);
    const ended = await rest.waitForExecution(newest?.id ?? '');
    return ended.runsOf(SENDER).reduce((sum, { seconds }) => sum + seconds * 1000, 0);
  }
}
