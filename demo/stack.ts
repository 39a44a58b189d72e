import { copyFile, rm } from 'node:fs/promises';
import path from 'node:path';

import getPort from 'get-port';

import { type Sandbox, startSandbox } from '../sandbox/server';
import type { Closing } from './closing';
import { makeDataFolder } from './dataFolder';
import { CONTACTS_FILE, type ExampleWorkflow, readExample } from './example';
import { DemoFailure } from './failure';
import { installN8n } from './install';
import type { JsonObject } from './json';
import { filesFolderOf, type N8nProcess, startN8n } from './n8n';
import { packPackage, placePackage } from './package';
import type { ReleaseName } from './releases';
import { idOf, N8nRest, type Owner, type StoredCredential } from './rest';

/** A certain port, or any that is free. */
export type Port = number | 'free';

export interface StackOptions {
  release: ReleaseName;
  ports: { n8n: Port; sandbox: Port };
  /** The packed package; without it, this one is built and packed. */
  tarball?: string;
  /** The list the example workflow reads. */
  contactsFile: string;
  /** Credits in the sandbox at the start. */
  credits: number;
  /** Whether the folder with n8n's data stays when all is over. */
  keepData: boolean;
  /** Is told what is going on, line by line. */
  say: (line: string) => void;
  /** Ends the start early. */
  signal: AbortSignal;
  /** Takes what has to be ended; the caller closes it, also when the start fails. */
  closing: Closing;
}

/** n8n with this package and the example workflow in it, and the sandbox it sends to. */
export interface Stack {
  n8n: N8nProcess;
  rest: N8nRest;
  sandbox: Sandbox;
  owner: Owner;
  example: ExampleWorkflow;
  credential: StoredCredential;
  /** The example as n8n keeps it, with the sandbox's credential. */
  workflow: JsonObject;
  /** Where the editor shows the workflow. */
  editor: string;
}

/** The key of the sandbox. */
export const API_KEY = 'demo-key';

/** The user of every n8n that is started here. */
export const OWNER: Owner = {
  email: 'owner@example.com',
  firstName: 'Demo',
  lastName: 'Owner',
  password: 'Demo-password-1',
};

/** Starts everything the demo needs, ready to run the workflow. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { say, signal, closing } = options;
  const n8nPort = await findPort(options.ports.n8n, '--n8n-port');
  const sandboxPort = await findPort(options.ports.sandbox, '--sandbox-port');
  const installation = await installN8n(options.release, { say, signal });
  const folder = await makeDataFolder('demo');
  closing.add(async () => {
    if (options.keepData) say(`n8n's data is kept in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  });

  if (options.tarball === undefined) say('Building and packing this package');
  const tarball = options.tarball ?? (await packPackage(path.join(folder, 'package'), signal));
  await placePackage(tarball, folder, signal);

  say('Starting the sandbox and n8n');
  const sandbox = await startSandbox({ port: sandboxPort, keys: [API_KEY], credits: options.credits });
  closing.add(() => sandbox.close());
  const n8n = await startN8n({ installation, folder, port: n8nPort, signal });
  closing.add(() => n8n.stop());

  await copyFile(options.contactsFile, path.join(filesFolderOf(folder), CONTACTS_FILE));
  const example = await readExample();
  const rest = new N8nRest(n8n);
  await rest.setUpOwner(OWNER);
  const credential = await rest.createCredential('Messaging Send account', 'messagingSendApi', {
    baseUrl: `${sandbox.url}/v1`,
    apiKey: API_KEY,
  });
  const workflow = await rest.importWorkflow(example.workflow, [credential]);
  const editor = `${n8n.url}/workflow/${idOf(workflow)}`;
  return { n8n, rest, sandbox, owner: OWNER, example, credential, workflow, editor };
}

async function findPort(wanted: Port, flag: string): Promise<number> {
  if (wanted === 'free') return await getPort();
  if ((await getPort({ port: wanted })) === wanted) return wanted;
  throw new DemoFailure(`Port ${wanted} is in use. Choose another with ${flag}.`);
}
