import type { Interruptible } from '../../nodes/MessagingSend/messages/interruptible';
import { inSlices } from '../../nodes/MessagingSend/n8n/slices';

/** Blocks the event loop for some milliseconds, as reading an item does. */
function busy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('Long work lets other work run in between, and returns its result', async () => {
  let turns = 0;
  function* work(): Interruptible<number> {
    for (let step = 0; step < 100; step += 1) {
      busy(1);
      yield;
    }
    return turns;
  }
  const others = setInterval(() => (turns += 1), 1);
  const turnsMeanwhile = await inSlices(work());
  clearInterval(others);
  expect(turnsMeanwhile).toBeGreaterThanOrEqual(3);
});

test('An error of long work is thrown', async () => {
  function* work(): Interruptible<number> {
    yield;
    throw new Error('broken');
  }
  await expect(inSlices(work())).rejects.toThrow('broken');
});
