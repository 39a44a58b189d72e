import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server';

export const KEY = 'made-up-key-0123456789';

/** No test waits for a limit, but those that are about it. */
const AT_ONCE: INodeParameters = { requestsPerMinute: 1_000_000, longestWait: 0 };

/** The parameters of each operation, as the editor saves them. */
export const GET_BALANCE: INodeParameters = { resource: 'balance', operation: 'get', options: AT_ONCE };
const FROM_ITEM: INodeParameters = {
  resource: 'message',
  options: AT_ONCE,
  phone: '={{ $json.phone }}',
  message: '={{ $json.text }}',
};
export const SEND: INodeParameters = { ...FROM_ITEM, operation: 'send' };
export const SEND_BULK: INodeParameters = { ...FROM_ITEM, operation: 'sendBulk', source: 'items' };
export const SEND_LIST: INodeParameters = {
  resource: 'message',
  options: AT_ONCE,
  operation: 'sendBulk',
  source: 'json',
  messages: '={{ $json.list }}',
};

export function withOptions(parameters: INodeParameters, options: INodeParameters): INodeParameters {
  return { ...parameters, options: { ...AT_ONCE, ...options } };
}

/** A sandbox without limits, ended after the tests of the file; each test begins with an empty one. */
export function sandboxForTests(options: Partial<SandboxOptions> = {}): () => Sandbox {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ keys: [KEY], limit: 0, credits: 100_000, ...options });
  });
  beforeEach(() => sandbox.reset());
  afterAll(async () => await sandbox.close());
  return () => sandbox;
}

export function accountOf(sandbox: Sandbox, prefix = '/v1'): { baseUrl: string; apiKey: string } {
  return { baseUrl: `${sandbox.url}${prefix}`, apiKey: KEY };
}

/** `count` contacts with numbers of their own and texts that tell them apart. */
export function contacts(count: number): Array<IDataObject & { phone: string; text: string }> {
  return Array.from({ length: count }, (_, index) => ({ phone: phoneAt(index), text: `Hello ${index}` }));
}

export function phoneAt(index: number): string {
  return `4477009${String(index).padStart(5, '0')}`;
}
