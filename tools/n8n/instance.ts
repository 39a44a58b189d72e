/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import getPort from 'get-port';

import { type Session, untilStopped } from '../cli/session';
import { makeTemporaryFolder } from '../cli/temporaryFolder';
import { type Probe, waitFor } from '../cli/waiting';
import { findN8n } from './install';
import { type N8nProcess, type N8nProgram, startN8n } from './process';
import { CURRENT, type ReleaseName } from './releases';
import { N8nRest, type Owner, type StoredCredential } from './rest';
import { type StoredWorkflow } from './workflow';

/** The API key of every account, if no other is given. */
export const API_KEY = 'made-up-key-0123456789';

export const OWNER: Owner = {
  email: 'owner@example.com',
  firstName: 'Demo',
  lastName: 'Owner',
  password: 'Demo-password-1',
};

export interface InstanceOptions {
  purpose: string;
  /** Installs this package in the home (`N8N_USER_FOLDER`) of an n8n that has not been started. */
  providePackage: (userFolder: string) => Promise<unknown>;
  release?: ReleaseName;
  port?: number;
  environment?: NodeJS.ProcessEnv;
}

/** A real n8n with this package installed. The session that started it ends it, and removes its folder. */
export class N8nInstance {
  readonly workers: N8nProcess[] = [];

  private constructor(
    private readonly program: N8nProgram,
    private readonly options: InstanceOptions,
    private readonly session: Session,
    readonly folder: string,
    private readonly port: number,
    /** The running process with the editor; {@link restart} replaces it. */
    public n8n: N8nProcess,
    public rest: N8nRest,
  ) {}

  /** Finds or installs n8n, installs the package in it, starts it and logs in. */
  static async start(options: InstanceOptions, session: Session): Promise<N8nInstance> {
    const { release = CURRENT, port = await getPort(), providePackage, environment } = options;
    const { signal, cleanup } = session;
    const program = await findN8n(release, session);
    const folder = await makeTemporaryFolder(options.purpose, cleanup);
    await providePackage(folder);
    const n8n = await startN8n({ program, folder, port, environment, signal });
    const rest = new N8nRest(n8n, signal);
    const instance = new N8nInstance(program, options, session, folder, port, n8n, rest);
    cleanup.add(async () => instance.n8n.stop());
    await rest.setUpOwner(OWNER);
    return instance;
  }

  /** Stores the credential of the service that this n8n sends to. */
  async storeAccount({ url }: { url: string }): Promise<StoredCredential> {
    const data = { baseUrl: `${url}/v1`, apiKey: API_KEY };
    return await this.rest.createCredential('Messaging Send account', 'messagingSendApi', data);
  }

  editorUrl(workflow: StoredWorkflow): string {
    return `${this.n8n.url}/workflow/${workflow.id}`;
  }

  /**
   * Starts n8n again on the same data and port, after stopping one that still runs. For the effects of a crash, call
   * `n8n.kill()` before.
   */
  async restart(more: NodeJS.ProcessEnv = {}): Promise<void> {
    const { program, folder, port, session } = this;
    const environment = { ...this.options.environment, ...more };
    await this.n8n.stop();
    this.n8n = await startN8n({ program, folder, port, environment, signal: session.signal });
    this.rest = new N8nRest(this.n8n, session.signal);
    await this.rest.logIn(OWNER);
  }

  /** Starts one more worker of queue mode, in a home of its own. */
  async startWorker(concurrency: number): Promise<N8nProcess> {
    const { program, session } = this;
    const { purpose, providePackage, environment } = this.options;
    const folder = await makeTemporaryFolder(`${purpose}-worker`, session.cleanup);
    await providePackage(folder);
    const worker = await startN8n({
      program,
      folder,
      port: await getPort(),
      environment,
      worker: { concurrency },
      signal: session.signal,
    });
    // An orderly stop would let it finish its executions first.
    session.cleanup.add(() => worker.kill());
    this.workers.push(worker);
    return worker;
  }

  /** Waits until `probe` has an answer, see {@link waitFor}; when the time is up, the end of each log is shown. */
  async waitFor<Answer>(what: string, seconds: number, probe: Probe<Answer>): Promise<Answer> {
    const evidence = () => [this.n8n, ...this.workers].map((n8n) => n8n.endOfLog()).join('\n');
    return await waitFor(what, seconds, probe, { signal: this.session.signal, evidence });
  }

  /** Waits for the user to stop the command. If n8n ends before that, as after a kill, it starts again on the same data. */
  async stayUp(): Promise<void> {
    const { signal, say } = this.session;
    for (;;) {
      await Promise.race([untilStopped(signal), this.n8n.whenEnded()]);
      if (signal.aborted) return;
      say('\nn8n has ended. It starts again with the same data');
      await this.restart();
      say(`n8n is process ${this.n8n.pid} now`);
    }
  }
}
