import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server';

export const KEY = 'sandbox-key';

export interface Reply {
  status: number;
  headers: Headers;
  /** The body as JSON, or as text if it is not JSON. */
  body: unknown;
}

/** A request, sent as it is. */
export async function call(address: string, init: RequestInit = {}): Promise<Reply> {
  const answer = await fetch(address, { redirect: 'manual', ...init });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: parsed(text) };
}

/** GET with the key. */
export function get(address: string, key = KEY): Promise<Reply> {
  return call(address, { headers: { authorization: `Bearer ${key}` } });
}

/** POST of JSON with the key; a string is sent as it is. */
export function post(address: string, body: unknown, key = KEY): Promise<Reply> {
  return call(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** `count` messages to made-up phones: 447700900000, 447700900001, … */
export function messages(count: number): Array<{ phone: string; message: string }> {
  return Array.from({ length: count }, (_, index) => ({
    phone: String(447700900000 + index),
    message: `Text ${index}`,
  }));
}

const open: Sandbox[] = [];

/** A sandbox that `closeSandboxes` closes. */
export async function sandboxWith(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  open.push(sandbox);
  return sandbox;
}

/** For `afterEach`. */
export async function closeSandboxes(): Promise<void> {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
