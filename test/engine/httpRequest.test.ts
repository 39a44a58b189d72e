/** What docs/from-http-request.md says about n8n's own nodes; this one's answers to the same are in the other tests. */

import type { IConnections, INode, INodeParameters } from 'n8n-workflow';

import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server';
import { readProjectFile } from '../../tools/project';
import { KEY } from '../support/account';
import { listOf } from '../support/contacts';
import { requestPerItem } from '../support/contenders';
import { runSteps, type Step, type Steps } from '../support/engine/steps';
import type { StoredError } from '../support/engine/workflow';
import { receivedPhones } from '../support/sandbox';

const LIST = listOf(250);
const WITH_A_BAD_NUMBER = LIST.map((contact, index) => (index === 99 ? { ...contact, phone: '07700900124' } : contact));
const RETRY = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

let sandbox: Sandbox;
const start = async (options: Partial<SandboxOptions> = {}) =>
  void (sandbox = await startSandbox({ keys: [KEY], credits: 10_000, ...options }));
afterEach(async () => await sandbox.close());

/** What arrived, and the status of the error that ended the execution. */
async function outcome(list: typeof LIST, steps: Steps) {
  const error = await runSteps(list, steps, sandbox.url).then(
    () => null,
    (thrown: unknown) => (thrown as StoredError).httpCode,
  );
  const phones = receivedPhones(sandbox);
  return {
    error,
    sent: phones.length,
    twice: phones.length - new Set(phones).size,
    requests: sandbox.requests().length,
  };
}

/** The page's workflow from its loop on, with the sandbox and without the pause of its Wait. */
function loop(settings: Step['settings'] = {}): Steps {
  const file = JSON.parse(readProjectFile('docs/loop-and-http-request.json')) as {
    nodes: INode[];
    connections: IConnections;
  };
  const step = (name: string): Step => {
    const { type, typeVersion: version, parameters } = file.nodes.find((node) => node.name === name) ?? ({} as INode);
    const outputs = (file.connections[name]?.main ?? []).map((ends) => (ends ?? []).map(({ node }) => node));
    return { name, type, version, parameters, outputs };
  };
  const request = step('HTTP Request');
  return [
    step('Loop Over Items'),
    { ...request, parameters: { ...request.parameters, ...toSandbox(sandbox.url) }, settings },
    { ...step('Wait'), ...NO_OPERATION },
    { ...step('Done'), ...NO_OPERATION },
  ];
}

const NO_OPERATION = { type: 'n8n-nodes-base.noOp', version: 1, parameters: {} };
const toSandbox = (url: string): INodeParameters => ({
  url: `${url}/v1/messages/send`,
  authentication: 'none',
  sendHeaders: true,
  headerParameters: { parameters: [{ name: 'Authorization', value: `Bearer ${KEY}` }] },
});

describe('Loop Over Items and HTTP Request', () => {
  test('make a request for each contact', async () => {
    await start({ limit: 0 });
    expect(await outcome(LIST, loop())).toEqual({ error: null, sent: 250, twice: 0, requests: 250 });
  });

  test('stop at a 429, and send to none of the contacts that are left', async () => {
    await start();
    expect(await outcome(LIST, loop())).toEqual({ error: '429', sent: 60, twice: 0, requests: 61 });
  });

  test('stop at an invalid phone number', async () => {
    await start({ limit: 0 });
    expect(await outcome(WITH_A_BAD_NUMBER, loop())).toEqual({ error: '422', sent: 99, twice: 0, requests: 100 });
  });

  test('continue after an invalid phone number with On Error set to Continue', async () => {
    await start({ limit: 0 });
    expect(await outcome(WITH_A_BAD_NUMBER, loop({ onError: 'continueRegularOutput' }))).toMatchObject({
      error: null,
      sent: 249,
    });
  });

  test('send a message again with Retry On Fail if its answer is lost', async () => {
    await start({ limit: 0, faults: [{ kind: 'reset-after', after: 9 }] });
    expect(await outcome(LIST, loop(RETRY))).toEqual({ error: null, sent: 251, twice: 1, requests: 251 });
  });
});

describe('HTTP Request without a loop', () => {
  test('sends what the limit allows, and fails as a whole', async () => {
    await start();
    expect(await outcome(LIST, requestPerItem(sandbox.url))).toEqual({
      error: '429',
      sent: 60,
      twice: 0,
      requests: 250,
    });
  });

  test('sends all items again with Retry On Fail', async () => {
    await start({ limit: 0, faults: [{ kind: 'status', status: 500, after: 9 }] });
    const [request, ...rest] = requestPerItem(sandbox.url);
    expect(await outcome(LIST, [{ ...request, settings: RETRY }, ...rest])).toEqual({
      error: null,
      sent: 499,
      twice: 249,
      requests: 500,
    });
  });
});
