/** Executions that send the same message at the same time, with 'Send Once, Across Executions'. */
import { processedData } from '../support/engine/processedData';
import { runWorkflow } from '../support/engine/workflow';
import { detailsOf, outcomeOf } from '../support/outputs';
import { SENDING_OPERATIONS } from '../support/parameters';
import { accountOf, receivedPhones, sandboxForTests } from '../support/sandbox';
import { BY_ORDER, keyed, once } from '../support/sendOnce';

const sandbox = sandboxForTests();
beforeEach(() => processedData.reset());

const COUNT = 30;

describe.each(SENDING_OPERATIONS)('Of 30 webhooks with one key at the same time, with %s', (_name, given) => {
  /** How many of the executions report each outcome, or each code of a failure. */
  const reported = async (longestWait: number) => {
    const parameters = once(given, { ...BY_ORDER, longestWait });
    const ran = await Promise.all(
      Array.from({ length: COUNT }, async () =>
        runWorkflow({
          account: accountOf(sandbox()),
          mode: 'trigger',
          onError: 'continueRegularOutput',
          items: [keyed(0, 'Hello', 'A1')],
          parameters,
        }),
      ),
    );
    const counts: Record<string, number> = {};
    for (const item of ran.flatMap(({ outputs }) => outputs.flat())) {
      const what = String(item.json.error === undefined ? outcomeOf(item) : detailsOf(item).code);
      counts[what] = (counts[what] ?? 0) + 1;
    }
    return counts;
  };
  const received = () => receivedPhones(sandbox()).length;

  test('one sends, and the others wait for its outcome and skip the message', async () => {
    sandbox().setFaults([{ kind: 'delay', ms: 100, times: 1 }]);
    expect(await reported(1)).toEqual({ sent: 1, skipped: COUNT - 1 });
    expect(received()).toBe(1);
  });

  test.each([403, 422])('another one sends if the first is refused with status %i', async (status) => {
    sandbox().setFaults([{ kind: 'status', status, times: 1 }]);
    const { sent, skipped, ...refused } = await reported(1);
    expect({ sent, skipped }).toEqual({ sent: 1, skipped: COUNT - 2 });
    expect(Object.values(refused)).toEqual([1]);
    expect(received()).toBe(1);
  });

  test('none sends after the outcome of the first is unknown', async () => {
    sandbox().setFaults([{ kind: 'status', status: 503, times: 1 }]);
    const { RESERVED, ...first } = await reported(1);
    expect(RESERVED).toBe(COUNT - 1);
    expect(Object.values(first)).toEqual([1]);
    expect(
      sandbox()
        .requests()
        .filter(({ endpoint }) => endpoint !== 'balance'),
    ).toHaveLength(1);
  });

  test("none waits for longer than 'Max Wait'", async () => {
    sandbox().setFaults([{ kind: 'delay', ms: 300, times: 1 }]);
    expect(await reported(0)).toEqual({ sent: 1, RESERVED: COUNT - 1 });
    expect(received()).toBe(1);
  });
});
