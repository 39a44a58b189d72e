import { waitUnless } from '../../nodes/MessagingSend/requests/wait';

afterEach(() => jest.restoreAllMocks());

test('A wait does not start in a stopped run', async () => {
  await expect(waitUnless(AbortSignal.abort(new Error('stopped')))(1)).rejects.toThrow('stopped');
});

test('A wait leaves no listeners behind, however often a run waits', async () => {
  const added = jest.spyOn(EventTarget.prototype, 'addEventListener');
  const removed = jest.spyOn(EventTarget.prototype, 'removeEventListener');
  const wait = waitUnless(new AbortController().signal);
  for (let count = 0; count < 20; count += 1) await wait(Promise.resolve());
  expect(added).toHaveBeenCalledTimes(20);
  expect(removed).toHaveBeenCalledTimes(20);
});
