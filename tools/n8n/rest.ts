import { z } from 'zod/v4';

import { ExpectedError, messageOf } from '../cli/errors';
import { type Probe, waitFor } from '../cli/waiting';
import { EXECUTION, type Execution, LISTED, type ListedExecution, readExecution } from './execution';
import { type N8nProcess } from './process';
import { type JsonObject, STORED_WORKFLOW, type StoredWorkflow, type Workflow, type WorkflowNode } from './workflow';

export interface Owner {
  email: string;
  firstName: string;
  lastName: string;
  password: string;
}

/** A stored credential that nodes can refer to. */
export interface StoredCredential {
  id: string;
  name: string;
  type: string;
}

type Method = 'GET' | 'PATCH' | 'POST';

/** What n8n answers, as far as it is read. */
const ID = z.object({ id: z.string() });
const TESTED = z.object({ status: z.string(), message: z.string() });
const STARTED = z.object({ executionId: z.string() });
const RETRIED = z.object({ id: z.coerce.string() });
const LIST = z.object({ results: z.array(LISTED) });
const PUBLICATION = z.object({
  status: z.string(),
  triggers: z.array(z.object({ errorMessage: z.string().nullish() })).default([]),
});

/** How long to wait for anything in n8n, unless the caller allows more. */
const DEADLINE_SECONDS = 60;

const UNDER_WAY = ['new', 'running', 'waiting', 'unknown'];

/** n8n's internal REST interface, which its editor uses, as one logged-in user. */
export class N8nRest {
  private cookie = '';

  /** @param signal  ends every wait, with its reason */
  constructor(
    private readonly n8n: Pick<N8nProcess, 'url' | 'endOfLog' | 'assertRunning'>,
    private readonly signal: AbortSignal,
  ) {}

  async setUpOwner(owner: Owner): Promise<void> {
    await this.request(z.unknown(), 'POST', '/rest/owner/setup', owner);
    await this.logIn(owner);
  }

  /** Logs in for all further requests. */
  async logIn({ email, password }: Pick<Owner, 'email' | 'password'>): Promise<void> {
    await this.request(z.unknown(), 'POST', '/rest/login', { emailOrLdapLoginId: email, password });
  }

  async createCredential(name: string, type: string, data: JsonObject): Promise<StoredCredential> {
    const { id } = await this.request(ID, 'POST', '/rest/credentials', { name, type, data });
    return { id, name, type };
  }

  /** Tests a stored credential with changed data, as the editor's dialog does before it saves. */
  async testCredential(credential: StoredCredential, data: JsonObject): Promise<{ status: string; message: string }> {
    return await this.request(TESTED, 'POST', '/rest/credentials/test', { credentials: { ...credential, data } });
  }

  /** Stores a workflow, with these credentials in place of those that it names. */
  async importWorkflow(workflow: Workflow, credentials: StoredCredential[] = []): Promise<StoredWorkflow> {
    const stored = Object.fromEntries(credentials.map(({ type, ...named }) => [type, named]));
    const nodes = workflow.nodes.map(({ credentials: own, ...node }) => ({
      ...node,
      credentials: own && Object.fromEntries(Object.entries(own).map(([type, named]) => [type, stored[type] ?? named])),
    }));
    return await this.request(STORED_WORKFLOW, 'POST', '/rest/workflows', { ...workflow, nodes });
  }

  /** Stores a workflow as {@link importWorkflow} does, and activates it. */
  async publish(workflow: Workflow, credentials: StoredCredential[] = []): Promise<StoredWorkflow> {
    const stored = await this.importWorkflow(workflow, credentials);
    await this.activate(stored);
    return stored;
  }

  /** Runs a workflow as the editor's button does, and waits for its end, successful or not. */
  async run(workflow: StoredWorkflow, trigger: string, seconds?: number): Promise<Execution> {
    return await this.waitForExecution(await this.start(workflow, trigger), seconds);
  }

  /** Starts a workflow as {@link run} does, without waiting for its end. */
  async start(workflow: StoredWorkflow, trigger: string): Promise<string> {
    const path = `/rest/workflows/${workflow.id}/run`;
    const body = { workflowData: workflow, triggerToStartFrom: { name: trigger } };
    return (await this.request(STARTED, 'POST', path, body)).executionId;
  }

  /** Replaces the nodes of a stored workflow. */
  async saveNodes(workflow: StoredWorkflow, nodes: readonly WorkflowNode[]): Promise<StoredWorkflow> {
    const { name, connections, settings, versionId } = workflow;
    const changed = { name, nodes, connections, settings, versionId };
    return await this.request(STORED_WORKFLOW, 'PATCH', `/rest/workflows/${workflow.id}?forceSave=true`, changed);
  }

  /**
   * Retries a failed execution as the list of executions does, and waits for its end, successful or not.
   * @param loadWorkflow whether with the workflow as it is saved now, instead of as it was
   */
  async retry(id: string, seconds?: number, loadWorkflow = false): Promise<Execution> {
    const retried = await this.request(RETRIED, 'POST', `/rest/executions/${id}/retry`, { loadWorkflow });
    return await this.waitForExecution(retried.id, seconds);
  }

  async waitForExecution(id: string, seconds = DEADLINE_SECONDS): Promise<Execution> {
    return await this.waitFor(`execution ${id} to end`, seconds, async () => {
      const record = await this.request(EXECUTION, 'GET', `/rest/executions/${id}`);
      return UNDER_WAY.includes(record.status) ? undefined : readExecution(record);
    });
  }

  /** Waits until an execution is waiting for an answer or a time. */
  async waitUntilWaiting(id: string): Promise<void> {
    await this.waitFor(`execution ${id} to wait`, DEADLINE_SECONDS, async () => {
      const { status } = await this.request(EXECUTION, 'GET', `/rest/executions/${id}`);
      return status === 'waiting' ? true : undefined;
    });
  }

  /** Stops an execution that is under way, as the editor's Stop button does. */
  async stop(id: string): Promise<void> {
    await this.request(z.unknown(), 'POST', `/rest/executions/${id}/stop`);
  }

  /** Lists the executions of a workflow, newest first, including those under way. */
  async executionsOf(workflow: StoredWorkflow): Promise<ListedExecution[]> {
    const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow.id }));
    return (await this.request(LIST, 'GET', `/rest/executions?filter=${filter}&limit=100`)).results;
  }

  /**
   * Publishes a workflow, with the nodes that it was stored with, and waits until its triggers can start it.
   * @throws ExpectedError with the trigger's own message if one can't
   */
  async activate(workflow: StoredWorkflow): Promise<void> {
    const { versionId } = workflow;
    await this.request(z.unknown(), 'POST', `/rest/workflows/${workflow.id}/activate`, { versionId });
    await this.waitForPublication(workflow, 'published');
  }

  async deactivate(workflow: StoredWorkflow): Promise<void> {
    await this.request(z.unknown(), 'POST', `/rest/workflows/${workflow.id}/deactivate`, {});
    await this.waitForPublication(workflow, 'not_published');
  }

  /** Reads a file that n8n serves beside its interface, such as `/types/nodes.json` or an icon. */
  async readFile(path: string): Promise<string> {
    const { status, text } = await this.exchange('GET', path);
    if (status !== 200) throw new ExpectedError(`n8n answered ${status} to GET ${path}: ${text.slice(0, 300)}`);
    return text;
  }

  private async waitForPublication(workflow: StoredWorkflow, wanted: string): Promise<void> {
    const path = `/rest/workflows/${workflow.id}/publication-status`;
    await this.waitFor(`a workflow to be "${wanted}"`, DEADLINE_SECONDS, async () => {
      const { status, text } = await this.exchange('GET', path);
      // n8n 2.35 has no such address by default, but answers the activation only when that is done.
      if (status === 404) return true;
      const { status: reached, triggers } = dataOf(PUBLICATION, text);
      if (reached === wanted) return true;
      // n8n counts each node with a webhook, such as Messaging Send, as a trigger, so one failing trigger is a partial failure.
      if (!['failed', 'partial'].includes(reached)) return undefined;
      const errors = triggers.flatMap(({ errorMessage }) => errorMessage ?? []).join('; ');
      throw new ExpectedError(`n8n could not publish the workflow: ${errors}`);
    });
  }

  private async waitFor<Answer>(what: string, seconds: number, probe: Probe<Answer>): Promise<Answer> {
    return await waitFor(what, seconds, probe, { signal: this.signal, evidence: () => this.n8n.endOfLog() });
  }

  private async request<Data>(schema: z.ZodType<Data>, method: Method, path: string, body?: unknown): Promise<Data> {
    const { status, text } = await this.exchange(method, path, body);
    if (status >= 400) throw new ExpectedError(`n8n answered ${status} to ${method} ${path}: ${text.slice(0, 300)}`);
    return dataOf(schema, text);
  }

  private async exchange(method: Method, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const answer = await this.fetch(path, {
      method,
      headers: {
        'content-type': 'application/json',
        // n8n may close a kept connection at the moment of the next request.
        connection: 'close',
        // n8n ties a login to the browser.
        'browser-id': 'n8n-nodes-messaging-send',
        cookie: this.cookie,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
    if (cookies.length > 0) this.cookie = cookies.join('; ');
    return { status: answer.status, text: await answer.text() };
  }

  private async fetch(path: string, request: RequestInit): Promise<Response> {
    return await fetch(`${this.n8n.url}${path}`, request).catch((failure: unknown) => {
      this.n8n.assertRunning();
      throw new ExpectedError(`n8n didn't answer ${path} (${messageOf(failure)}).\n${this.n8n.endOfLog()}`);
    });
  }
}

function dataOf<Data>(schema: z.ZodType<Data>, text: string): Data {
  return z.object({ data: schema }).parse(JSON.parse(text)).data;
}
