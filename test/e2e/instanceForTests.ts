/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before } from 'node:test';

import { type Browser, type Page } from 'playwright-core';

import { type InstanceWithSandbox, startWithSandbox } from '../../sandbox/n8n/instance';
import { type SandboxOptions } from '../../sandbox/server';
import { Cleanup } from '../../tools/cli/cleanup';
import { type Session, stopOnSignals } from '../../tools/cli/session';
import { launchBrowser, openWindow } from '../../tools/n8n/browser';
import { logIn } from '../../tools/n8n/editor';
import { OWNER } from '../../tools/n8n/instance';
import { providePackage } from '../../tools/n8n/package';
import { CURRENT, type ReleaseName } from '../../tools/n8n/releases';

interface TestInstanceOptions {
  /** Of n8n; the newest one that is supported, if not given. */
  release?: ReleaseName;
  /** Any free one, if not given. */
  port?: number;
  /** Over no limit and 1,000,000 credits. */
  sandbox?: Partial<SandboxOptions>;
  /** Whether n8n serves its interface, which takes it seconds at each start; false by default. */
  hasInterface?: boolean;
  environment?: NodeJS.ProcessEnv;
  /** Starts a database other than n8n's SQLite, and returns n8n's settings for it. */
  database?: (session: Session) => Promise<NodeJS.ProcessEnv>;
}

/** Aborted when the tests are asked to end; every wait ends with it. */
const stopSignal = stopOnSignals(['SIGINT', 'SIGTERM']);

/** A session for the tests of a `describe` or a file: its cleanup runs after them. */
export function sessionForTests(): Session {
  const cleanup = new Cleanup();
  after(() => cleanup.run());
  return { signal: stopSignal, cleanup, say: (line) => console.log(line) };
}

export async function startTestInstance(
  { release = CURRENT, port, sandbox, hasInterface = false, environment, database }: TestInstanceOptions,
  session: Session,
): Promise<InstanceWithSandbox> {
  return await startWithSandbox(
    {
      purpose: 'e2e',
      release,
      port,
      providePackage: (userFolder) => providePackage(userFolder, session.signal),
      sandbox: { limit: 0, credits: 1_000_000, ...sandbox },
      environment: { N8N_DISABLE_UI: String(!hasInterface), ...environment, ...(await database?.(session)) },
    },
    session,
  );
}

/** Something that is started before the tests of a `describe`, and ended after them. */
export function whileTestsRun<Thing>(
  start: () => Promise<Thing>,
  end: (thing: Thing) => unknown = () => undefined,
): () => Thing {
  let running: { thing: Thing } | undefined;
  before(async () => {
    running = { thing: await start() };
  });
  after(async () => {
    if (running !== undefined) await end(running.thing);
  });
  return () => {
    if (running === undefined) throw new Error('it is there only while the tests run');
    return running.thing;
  };
}

/** An instance for the tests of a `describe`. Its sandbox is not reset between them. */
export function instanceForTests(options: TestInstanceOptions = {}): () => InstanceWithSandbox {
  const session = sessionForTests();
  return whileTestsRun(() => startTestInstance(options, session));
}

/** Runs `work` on a page of its own, logged in; a failure leaves a picture of it, of this name. */
export type InEditor = (name: string, work: (page: Page) => Promise<void>) => Promise<void>;

/** A browser for the tests of a `describe`. */
export const browserForTests = (): (() => Browser) => whileTestsRun(launchBrowser, (browser) => browser.close());

export function editorForTests(instance: () => InstanceWithSandbox): InEditor {
  const browser = browserForTests();
  // Pages of one window load n8n's editor only once.
  const window = whileTestsRun(async () => {
    const opened = await openWindow(browser());
    const page = await opened.newPage();
    await logIn(page, instance().n8n.url, OWNER);
    await page.close();
    return opened;
  });
  return async (name, work) => {
    const page = await window().newPage();
    try {
      await work(page);
    } catch (failure) {
      const file = path.join(tmpdir(), 'n8n-messaging-send-failures', `${name.replaceAll(/[^\w.-]+/g, '-')}.png`);
      await page.screenshot({ path: file, animations: 'disabled' });
      console.log(`What the editor showed is in ${file}\n${instance().n8n.endOfLog()}`);
      throw failure;
    } finally {
      await page.close();
    }
  };
}
