import getPort from 'get-port';

import { Closing } from '../../demo/closing';
import { installN8n, type N8nInstallation } from '../../demo/install';
import { type N8nProcess, startN8n } from '../../demo/n8n';
import { placePackage } from '../../demo/package';
import type { ReleaseName } from '../../demo/releases';
import { N8nRest, type StoredCredential } from '../../demo/rest';
import { OWNER } from '../../demo/stack';
import { waitFor } from '../../demo/waiting';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server';
import { startPostgres } from './postgres';
import { type Redis, startRedis } from './redis';
import { KEY, makeFolder, stopped } from './stage';
import { tarball } from './tarball';

// Each process and folder has something to do when the tests end.
process.setMaxListeners(0);

export interface QueueStageOptions {
  /** Of n8n. */
  release: ReleaseName;
  sandbox: Partial<SandboxOptions>;
  /** How many executions a worker takes at once. */
  concurrency: number;
  /** More settings of n8n, for all its processes. */
  environment: NodeJS.ProcessEnv;
}

/** n8n in queue mode: a main, its workers, and the PostgreSQL and the Redis between them; the sandbox outside. */
export class QueueStage {
  readonly workers: N8nProcess[] = [];

  private constructor(
    private readonly options: QueueStageOptions,
    private readonly installation: N8nInstallation,
    /** What all of n8n's processes are told. */
    private readonly environment: NodeJS.ProcessEnv,
    private readonly mainHome: { folder: string; port: number },
    readonly sandbox: Sandbox,
    readonly redis: Redis,
    public main: N8nProcess,
    /** The main's REST interface, as the owner. */
    public rest: N8nRest,
    /** The credential for the sandbox, as stored in n8n. */
    readonly credential: StoredCredential,
    private readonly closing: Closing,
  ) {
    // Nobody wants what they still do, and a worker in good order would end its executions first.
    closing.add(async () => await this.main.kill());
  }

  /** Starts everything but workers, with the package in its place. */
  static async start(options: QueueStageOptions): Promise<QueueStage> {
    const { signal } = stopped;
    const closing = new Closing();
    try {
      const installation = await installN8n(options.release, { say: (line) => console.log(line), signal });
      const sandbox = await startSandbox({ keys: [KEY], credits: 1_000_000, ...options.sandbox });
      closing.add(() => sandbox.close());
      const redis = await startRedis(closing);
      const environment = {
        EXECUTIONS_MODE: 'queue',
        // A worker reads the credentials that the main has stored.
        N8N_ENCRYPTION_KEY: 'made-up-encryption-key',
        ...(await startPostgres(closing)),
        ...redis.environment,
        ...options.environment,
      };
      const home = { folder: await makeHome(closing), port: await getPort() };
      const main = await startN8n({ installation, ...home, environment, signal });
      closing.add(() => main.kill());
      const rest = new N8nRest(main);
      await rest.setUpOwner(OWNER);
      const credential = await rest.createCredential('Messaging Send account', 'messagingSendApi', {
        baseUrl: `${sandbox.url}/v1`,
        apiKey: KEY,
      });
      return new QueueStage(options, installation, environment, home, sandbox, redis, main, rest, credential, closing);
    } catch (failure) {
      await closing.close();
      throw failure;
    }
  }

  /** Starts one more worker, in a home of its own. */
  async startWorker(): Promise<N8nProcess> {
    const { installation, environment, options, closing } = this;
    const folder = await makeHome(closing);
    const port = await getPort();
    const { concurrency } = options;
    const worker = await startN8n({
      installation,
      folder,
      port,
      environment,
      worker: { concurrency },
      signal: stopped.signal,
    });
    closing.add(() => worker.kill());
    this.workers.push(worker);
    return worker;
  }

  /** Starts the main again on the same data, after `main.kill()`. */
  async restartMain(): Promise<void> {
    const { installation, environment } = this;
    this.main = await startN8n({ installation, ...this.mainHome, environment, signal: stopped.signal });
    this.rest = new N8nRest(this.main);
    await this.rest.logIn(OWNER);
  }

  /** Waits until `probe` has an answer; when the time is up, the last words of all of n8n's processes are shown. */
  async waitFor<Answer>(what: string, seconds: number, probe: () => Promise<Answer | undefined>): Promise<Answer> {
    const evidence = () => [this.main, ...this.workers].map((n8n) => n8n.lastWords()).join('\n');
    return await waitFor(what, seconds, probe, { signal: stopped.signal, evidence });
  }

  /** Ends what the stage has started, and removes its data. */
  async close(): Promise<void> {
    await this.closing.close();
  }
}

/** The ids of the executions that a worker has begun, by its log. */
export function begunBy(worker: N8nProcess): string[] {
  return [...worker.log().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => String(id));
}

async function makeHome(closing: Closing): Promise<string> {
  const folder = await makeFolder(closing);
  await placePackage(tarball(), folder, stopped.signal);
  return folder;
}
