import path from 'node:path';

import { type InstanceWithSandbox, startWithSandbox } from '../sandbox/n8n/instance';
import { type Session } from '../tools/cli/session';
import { makeFolder } from '../tools/cli/temporaryFolder';
import { addContactsExample, type ContactsExample } from '../tools/n8n/examples/contactsExample';
import { packPackage, unpackPackage } from '../tools/n8n/package';
import { type Demo } from './run';

const RUN_DEADLINE_SECONDS = 300;

export interface StartOptions {
  /** Any that are free, if not given. */
  ports?: { n8n: number; sandbox: number };
  /** The packed package; without it, this one is built and packed. */
  tarball?: string;
  /** The list the example sends to. */
  contactsFile: string;
  /** Credits in the sandbox at the start. */
  credits: number;
  /** Whether the folder with n8n's data stays when all is over. */
  keepData?: boolean;
}

/** A demo in real n8n. */
export interface N8nDemo extends Demo {
  instance: InstanceWithSandbox;
  example: ContactsExample;
}

/** Starts n8n and the sandbox. */
export async function startInN8n(options: StartOptions, session: Session): Promise<N8nDemo> {
  const { ports, credits, contactsFile, keepData = false } = options;
  const { say, signal, cleanup } = session;
  const kept = keepData ? await makeFolder('demo') : undefined;
  if (kept !== undefined) cleanup.add(() => say(`n8n's data is kept in ${kept}`));

  const providePackage = async (userFolder: string) => {
    if (options.tarball === undefined) say('Building and packing this package');
    const tarball = options.tarball ?? (await packPackage(path.join(userFolder, 'package'), signal));
    await unpackPackage(tarball, userFolder, signal);
    say('Starting n8n');
  };
  const instance = await startWithSandbox(
    {
      purpose: 'demo',
      folder: kept,
      providePackage,
      port: ports?.n8n,
      sandbox: { credits, port: ports?.sandbox },
    },
    session,
  );
  const example = await addContactsExample(instance, contactsFile);
  return {
    instance,
    example,
    sandbox: instance.sandbox,
    run: () => instance.rest.run(example.workflow, example.trigger, RUN_DEADLINE_SECONDS),
  };
}
