import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { after, before } from 'node:test';

import getPort from 'get-port';

import { Closing } from '../../demo/closing';
import { makeDataFolder } from '../../demo/dataFolder';
import { Stopped } from '../../demo/failure';
import { installN8n, type N8nInstallation } from '../../demo/install';
import type { JsonObject } from '../../demo/json';
import { type N8nProcess, startN8n } from '../../demo/n8n';
import { placePackage } from '../../demo/package';
import { CURRENT, type ReleaseName } from '../../demo/releases';
import { idOf, N8nRest, type StoredCredential } from '../../demo/rest';
import { OWNER } from '../../demo/stack';
import { waitFor } from '../../demo/waiting';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server';
import { tarball } from './tarball';

export interface StageOptions {
  /** Of n8n; the newest one if not given. */
  release?: ReleaseName;
  /** Over the sandbox's own: no limit and 1,000,000 credits. */
  sandbox?: Partial<SandboxOptions>;
  /** More settings of n8n. */
  environment?: NodeJS.ProcessEnv;
  /** Starts a database other than n8n's SQLite, and gives n8n's settings for it; `closing` takes its end. */
  database?: (closing: Closing) => Promise<NodeJS.ProcessEnv>;
  /** Use the sandbox and the key of this stage, instead of one of its own. */
  beside?: Stage;
}

/** The key that the stored credential has, and the sandbox knows. */
export const KEY = 'made-up-key-0123456789';

/** Aborted when the tests are told to end; every wait ends with it. */
export const stopped = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort(new Stopped()));

/** A real n8n with the packed package in its place, and the sandbox its stored credential leads to. */
export class Stage {
  private constructor(
    readonly sandbox: Sandbox,
    /** n8n's home, with its data; it goes away with the stage. */
    readonly folder: string,
    /** The credential for the sandbox, as stored in n8n. */
    readonly credential: StoredCredential,
    /** The n8n that runs now; another one after {@link restart}. */
    public n8n: N8nProcess,
    /** n8n's REST interface, as the owner. */
    public rest: N8nRest,
    private readonly installation: N8nInstallation,
    private readonly port: number,
    /** What n8n is told besides, at each of its starts. */
    private readonly environment: NodeJS.ProcessEnv,
    private readonly closing: Closing,
  ) {
    // Last one first: n8n is ended before its folder goes away.
    closing.add(() => this.n8n.stop());
  }

  /** Installs n8n where that has not been done yet, and starts it with everything in its place. */
  static async start({
    release = CURRENT,
    sandbox: options,
    environment: settings,
    database,
    beside,
  }: StageOptions = {}): Promise<Stage> {
    const { signal } = stopped;
    const closing = new Closing();
    try {
      const installation = await installN8n(release, { say: (line) => console.log(line), signal });
      const folder = await makeFolder(closing);
      await placePackage(tarball(), folder, signal);
      const sandbox =
        beside?.sandbox ?? (await startSandbox({ keys: [KEY], limit: 0, credits: 1_000_000, ...options }));
      if (beside === undefined) closing.add(() => sandbox.close());
      const port = await getPort();
      const environment = { ...settings, ...(await database?.(closing)) };
      const n8n = await startN8n({ installation, folder, port, environment, signal });
      closing.add(() => n8n.stop());
      const rest = new N8nRest(n8n);
      await rest.setUpOwner(OWNER);
      const credential = await rest.createCredential('Messaging Send account', 'messagingSendApi', {
        baseUrl: `${sandbox.url}/v1`,
        apiKey: KEY,
      });
      return new Stage(sandbox, folder, credential, n8n, rest, installation, port, environment, closing);
    } catch (failure) {
      await closing.close();
      throw failure;
    }
  }

  /**
   * Starts n8n again on the same data and the same port, with the same settings. One that still runs is ended in good order first; to see what
   * a crash does, call `n8n.kill()` before.
   */
  async restart(): Promise<void> {
    const { installation, folder, port, environment } = this;
    await this.n8n.stop();
    this.n8n = await startN8n({ installation, folder, port, environment, signal: stopped.signal });
    this.rest = new N8nRest(this.n8n);
    await this.rest.logIn(OWNER);
  }

  /** Where the editor shows a stored workflow. */
  editorOf(workflow: JsonObject): string {
    return `${this.n8n.url}/workflow/${idOf(workflow)}`;
  }

  /**
   * Waits until `probe` has an answer other than `undefined`; see {@link waitFor}. When the time is up, n8n's last
   * words are shown.
   */
  async waitFor<Answer>(what: string, seconds: number, probe: () => Promise<Answer | undefined>): Promise<Answer> {
    return await waitFor(what, seconds, probe, { signal: stopped.signal, evidence: () => this.n8n.lastWords() });
  }

  /** Ends what the stage has started, and removes n8n's data. */
  async close(): Promise<void> {
    await this.closing.close();
  }
}

/** A stage for the tests of a `describe`: started before them, closed after them, the sandbox kept as it is between them. */
export function stageForTests(options: StageOptions = {}): () => Stage {
  let stage: Stage | undefined;
  before(async () => void (stage = await Stage.start(options)));
  after(async () => await stage?.close());
  return () => {
    if (stage === undefined) throw new Error('the stage is there only while the tests run');
    return stage;
  };
}

/** Makes a temporary folder that goes away with `closing`. */
export async function makeFolder(closing: Closing): Promise<string> {
  const folder = await makeDataFolder('e2e');
  // Also when the tests are ended by force, as far as that lets anything run.
  const removeNow = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', removeNow);
  closing.add(async () => {
    await rm(folder, { recursive: true, force: true });
    process.removeListener('exit', removeNow);
  });
  return folder;
}
