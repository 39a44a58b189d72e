/** Real n8n with a packed package, for what n8n's engine alone can't show. */
import type { Session } from '../tools/cli/session';
import { asObject, asObjects, type JsonObject } from '../tools/json';
import { N8nInstance } from '../tools/n8n/instance';
import { unpackPackage } from '../tools/n8n/package';
import { chain, messagingSend, SENDER, type WorkflowNode } from '../tools/n8n/workflow';
import { UNLIMITED } from './contenders';
import type { RemoteSandbox } from './sandbox';

/** The node, with one request for each message or for 100. */
export function sender(operation: 'send' | 'sendBulk', fields: JsonObject): WorkflowNode {
  return messagingSend({ resource: 'message', operation, source: 'items', options: UNLIMITED, ...fields });
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
  async publish(path: string, nodes: readonly WorkflowNode[]): Promise<JsonObject> {
    const parameters = { httpMethod: 'POST', path, responseMode: 'lastNode' };
    const webhook = { name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, webhookId: path, parameters };
    const stored = await this.instance.rest.importWorkflow(chain(path, [webhook, ...nodes]), [this.credential]);
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
