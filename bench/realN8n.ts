/** Real n8n with a packed package, for what n8n's engine alone can't show. */
import { Cleanup } from '../tools/cli/cleanup';
import { type Session, stopOnSignals } from '../tools/cli/session';
import type { JsonObject } from '../tools/json';
import { N8nInstance } from '../tools/n8n/instance';
import { unpackPackage } from '../tools/n8n/package';
import type { RemoteSandbox } from './sandbox';

export interface RealN8n {
  /** The package's. */
  readonly name: string;
  readonly instance: N8nInstance;
  /** Stores a workflow, which then sends to the sandbox. */
  readonly store: (workflow: JsonObject) => Promise<JsonObject>;
}

/** Runs `use` with a session, and ends afterwards what was started in it. */
export async function withSession<Result>(
  say: Session['say'],
  use: (session: Session) => Promise<Result>,
): Promise<Result> {
  const cleanup = new Cleanup();
  try {
    return await use({ signal: stopOnSignals(['SIGINT', 'SIGTERM']), cleanup, say });
  } finally {
    await cleanup.run();
  }
}

/** A packed package. */
export interface Package {
  readonly name: string;
  readonly tarball: string;
  /** Changes it after it is unpacked in this folder. */
  readonly change?: (folder: string) => Promise<void>;
}

/** @param environment  more settings of n8n */
export async function startRealN8n(
  { name, tarball, change }: Package,
  { url }: RemoteSandbox,
  environment: NodeJS.ProcessEnv,
  session: Session,
): Promise<RealN8n> {
  const instance = await N8nInstance.start(
    {
      purpose: 'bench',
      providePackage: async (userFolder) => {
        const folder = await unpackPackage(tarball, userFolder, session.signal);
        await change?.(folder);
      },
      environment,
    },
    session,
  );
  const credential = await instance.storeAccount({ url });
  return { name, instance, store: async (workflow) => await instance.rest.importWorkflow(workflow, [credential]) };
}
