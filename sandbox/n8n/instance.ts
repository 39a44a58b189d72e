import { type Session } from '../../tools/cli/session';
import { API_KEY, type InstanceOptions, N8nInstance } from '../../tools/n8n/instance';
import { type StoredCredential } from '../../tools/n8n/rest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../server';

/** An n8n with a sandbox, and a stored credential for the sandbox. */
export type InstanceWithSandbox = N8nInstance & { readonly sandbox: Sandbox; readonly credential: StoredCredential };

interface InstanceWithSandboxOptions extends InstanceOptions {
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
