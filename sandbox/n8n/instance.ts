import getPort from 'get-port';

import { type Session } from '../../tools/cli/session';
import { API_KEY, type InstanceOptions, N8nInstance, OWNER } from '../../tools/n8n/instance';
import { type StoredCredential } from '../../tools/n8n/rest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../server';

/** An n8n with a sandbox, and a stored credential that leads to it. */
export type InstanceWithSandbox = N8nInstance & { readonly sandbox: Sandbox; readonly credential: StoredCredential };

export interface InstanceWithSandboxOptions extends InstanceOptions {
  sandbox?: Partial<SandboxOptions>;
}

export async function startWithSandbox(
  { sandbox: sandboxOptions, ...options }: InstanceWithSandboxOptions,
  session: Session,
): Promise<InstanceWithSandbox> {
  const sandbox = await startSandbox({ keys: [API_KEY], ...sandboxOptions });
  session.cleanup.add(() => sandbox.close());
  const instance = await N8nInstance.start(options, session);
  return Object.assign(instance, { sandbox, credential: await instance.storeAccount(sandbox) });
}

/** The same for a person: at the usual ports, where these are free. */
export async function startForPerson(options: InstanceOptions, session: Session): Promise<InstanceWithSandbox> {
  const [port, sandboxPort] = [await getPort({ port: 5678 }), await getPort({ port: 4010 })];
  return await startWithSandbox({ ...options, port, sandbox: { port: sandboxPort } }, session);
}

/** Where a person finds n8n's editor and the sandbox's inbox, and how they log in. */
export function describeAddresses({ sandbox }: InstanceWithSandbox, editor: string): string {
  const rows = [
    ['editor', editor],
    ['login', `${OWNER.email}  ${OWNER.password}`],
    ['inbox', `${sandbox.url}/`],
  ];
  return rows.map(([name = '', value]) => `  ${name.padEnd(10)}${value}`).join('\n');
}
