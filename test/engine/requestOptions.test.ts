import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startSandbox } from '../../sandbox/server';
import { KEY } from '../support/account';
import { contacts, listOf } from '../support/contacts';
import { runRouting, runWorkflow } from '../support/engine/workflow';
import { GET_BALANCE, inBatchesOf, SEND_BULK, SEND_LIST, SENDING_OPERATIONS } from '../support/parameters';
import { accountOf, requestSizes, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();

test.each([
  [30, [30, 30, 30, 10]],
  [1000, [100]],
  [-1, [100]],
])("'Items per Batch' of %i makes Send Bulk send 100 items in batches of %j", async (batchSize, sizes) => {
  const parameters = inBatchesOf(batchSize, SEND_BULK);
  await runWorkflow({ account: accountOf(sandbox()), items: contacts(100), parameters });
  expect(requestSizes(sandbox())).toEqual(sizes);
});

test("'Items per Batch' limits the batches of a list that comes through the routing", async () => {
  const list = listOf(25);
  const parameters = inBatchesOf(10, SEND_LIST);
  await runRouting({ account: accountOf(sandbox()), items: [{ list }], parameters });
  expect(requestSizes(sandbox())).toEqual([10, 10, 5]);
});

test("'Batch Interval' is the shortest time from the start of a request to that of the next", async () => {
  const parameters = inBatchesOf(1, SEND_BULK, 300);
  const begun = Date.now();
  await runWorkflow({ account: accountOf(sandbox()), items: contacts(3), parameters });
  // Not from one arrival to the next: a busy machine can delay the first and not the second. Clocks differ by up to 2 ms.
  for (const [index, { started_at: arrival }] of sandbox().requests().entries())
    expect(Date.parse(arrival) - begun).toBeGreaterThanOrEqual(index * 300 - 2);
  expect(sandbox().requests()).toHaveLength(3);
});

test("'Timeout' ends a request, and its messages are uncertain", async () => {
  sandbox().setFaults([{ kind: 'silence', handled: true, times: 2 }]);
  const setup = {
    account: accountOf(sandbox()),
    items: contacts(1),
    parameters: { ...SEND_BULK, requestOptions: { timeout: 100 } },
  };
  const { outputs } = await runWorkflow({ ...setup, onError: 'continueRegularOutput' });
  expect(outputs[0]?.[0]?.json).toMatchObject({ details: { code: 'TIMEOUT', outcome: 'uncertain' } });
  await expect(runRouting(setup)).rejects.toMatchObject({ message: 'The service did not answer in time' });
});

describe('A proxy', () => {
  let proxy: Server;
  let seen: string[];

  beforeEach(async () => {
    seen = [];
    proxy = createServer((incoming, answer) => {
      seen.push(incoming.url ?? '');
      const onward = request(incoming.url ?? '', { method: incoming.method, headers: incoming.headers }, (reply) => {
        answer.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(answer);
      });
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  test.each([['Get Balance', GET_BALANCE], ...SENDING_OPERATIONS])(
    'receives the requests of %s, in a workflow and through its routing',
    async (_name, parameters) => {
      const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      const setup = {
        account: accountOf(sandbox()),
        items: contacts(1),
        parameters: { ...parameters, requestOptions: { proxy: address } },
      };
      expect((await runWorkflow(setup)).error).toBeUndefined();
      await runRouting(setup);
      expect(seen).toHaveLength(2);
    },
  );

  test('that is not an address is reported before anything is sent', async () => {
    const parameters = { ...SEND_BULK, requestOptions: { proxy: 'http://' } };
    const { error } = await runWorkflow({ account: accountOf(sandbox()), items: contacts(1), parameters });
    expect(error?.message).toMatch(/proxy/i);
    expect(sandbox().requests()).toEqual([]);
  });
});

describe('A certificate that nobody has signed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-send-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
      '-days',
      '2',
      '-subj',
      '/CN=127.0.0.1',
    ],
    { stdio: 'ignore' },
  );

  test("prevents sending unless 'Ignore SSL Issues' is on", async () => {
    const secure = await startSandbox({
      keys: [KEY],
      limit: 0,
      tls: { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') },
    });
    try {
      const setup = { account: accountOf(secure), items: contacts(1), parameters: SEND_BULK };
      const refused = await runWorkflow(setup);
      expect(refused.error?.message).toContain('certificate is not trusted');
      await expect(runRouting(setup)).rejects.toThrow('certificate is not trusted');
      expect(secure.messages()).toEqual([]);

      const parameters = { ...SEND_BULK, requestOptions: { allowUnauthorizedCerts: true } };
      expect((await runWorkflow({ ...setup, parameters })).error).toBeUndefined();
      await runRouting({ ...setup, parameters });
      expect(secure.messages()).toHaveLength(2);
    } finally {
      await secure.close();
    }
  });
});
