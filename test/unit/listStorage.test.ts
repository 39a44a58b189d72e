import * as n8n from 'n8n-workflow';

import { listStorageOf } from '../../nodes/MessagingSend/n8n/memory/listStorage';

jest.mock('n8n-workflow', () => ({
  ...jest.requireActual<typeof n8n>('n8n-workflow'),
  sleep: jest.fn(async () => await Promise.resolve()),
}));

const storageWith = (helpers: object, maxWait = 0) =>
  listStorageOf({ helpers, getExecutionCancelSignal: () => undefined } as Parameters<typeof listStorageOf>[0], maxWait);

test.each([[[]], [['A']]])('Nothing counts as new if n8n has answered for %j of two values', async (added) => {
  const helpers = { checkProcessedAndRecord: async () => await Promise.resolve({ new: added, processed: [] }) };
  await expect(storageWith(helpers).add(['A', 'B'])).rejects.toThrow('has not answered for each value');
});

test.each([0, 1])('After %d failed tries, a write knows whether one may have stored its values', async (failing) => {
  const locked = Array<Error>(failing).fill(new Error('database is locked'));
  const checkProcessedAndRecord = async (values: readonly string[]) => {
    const error = locked.pop();
    return await (error ? Promise.reject(error) : Promise.resolve({ new: values, processed: [] }));
  };
  expect((await storageWith({ checkProcessedAndRecord }, 1_000).add(['A'])).isUnsure).toBe(failing > 0);
});

test('A claim is confirmed later if a recent change of the list was slow', async () => {
  let now = 0;
  const took = [300, 1, 1, 1];
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const helpers = {
    checkProcessedAndRecord: async (values: readonly string[]) => {
      now += took.shift() ?? 1;
      return await Promise.resolve({ new: values, processed: [] });
    },
  };
  const storage = storageWith(helpers);
  const wait = async () => {
    await storage.add(['a fact']);
    await storage.waitForOthers(0);
    return jest.mocked(n8n.sleep).mock.lastCall?.[0];
  };
  // Three times as long as the slowest change, which counts less after each that is faster.
  expect(await wait()).toBeGreaterThan(3 * 280);
  expect(await wait()).toBeGreaterThan(3 * 280);
  for (let change = 0; change < 200; change += 1) await wait();
  expect(await wait()).toBe(50);
});
