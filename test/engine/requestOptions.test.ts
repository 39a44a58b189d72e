import { startSandbox } from '../../sandbox/server';
import { KEY } from '../support/account';
import { selfSignedCertificate } from '../support/certificate';
import { contacts, listOf } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { runRouting } from '../support/engine/workflow';
import { inBatchesOf, SEND_BULK, SEND_LIST } from '../support/parameters';
import { accountOf, requestSizes } from '../support/sandbox';

const { sandbox, setupOf, run, requests } = nodeForTests({ items: contacts(1) });

test("'Items per Batch' limits the batches of a list that comes through the routing", async () => {
  await runRouting(setupOf({ items: [{ list: listOf(25) }], parameters: inBatchesOf(10, SEND_LIST) }));
  expect(requestSizes(sandbox())).toEqual([10, 10, 5]);
});

test("'Batch Interval' is the shortest time from the start of a request to that of the next", async () => {
  const begun = Date.now();
  await run({ items: contacts(3), parameters: inBatchesOf(1, SEND_BULK, 300) });
  // Not from one arrival to the next, because a busy machine can delay only the first. Clocks differ by up to 2 ms.
  for (const [index, { started_at: arrival }] of requests().entries())
    expect(Date.parse(arrival) - begun).toBeGreaterThanOrEqual(index * 300 - 2);
  expect(requests()).toHaveLength(3);
});

test("A certificate that nobody has signed prevents sending unless 'Ignore SSL Issues' is on", async () => {
  const secure = await startSandbox({ keys: [KEY], limit: 0, tls: selfSignedCertificate() });
  try {
    const setup = setupOf({ account: accountOf(secure), parameters: SEND_BULK });
    expect((await run(setup)).error?.message).toContain("can't make a secure connection");
    await expect(runRouting(setup)).rejects.toThrow("can't make a secure connection");
    expect(secure.messages()).toEqual([]);

    const ignoring = { ...setup, parameters: { ...SEND_BULK, requestOptions: { allowUnauthorizedCerts: true } } };
    expect((await run(ignoring)).error).toBeUndefined();
    await runRouting(ignoring);
    expect(secure.messages()).toHaveLength(2);
  } finally {
    await secure.close();
  }
});
