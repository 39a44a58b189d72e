import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';

import { KEY } from '../support/account';
import { contacts, phoneAt } from '../support/contacts';
import { retryExecution, runWorkflow, type Setup } from '../support/engine/workflow';
import { hintsOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, withOptions } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
const run = async (setup: Omit<Setup, 'account'>) => await runWorkflow({ account: accountOf(sandbox()), ...setup });

afterEach(() => jest.restoreAllMocks());

test('A manual run shows its progress in the browser console, without phone numbers or texts', async () => {
  const lines: unknown[] = [];
  const onConsole = (...more: unknown[]) => void lines.push(...more);
  await run({ items: contacts(250), parameters: SEND_BULK, onConsole });

  expect(lines.at(-1)).toBe('Send: 250 of 250 messages done');
  expect(lines.join()).not.toMatch(/4477009|Hello/);
});

test('A production run writes one line to the log, without phone numbers, texts or the key', async () => {
  const info = jest.spyOn(Container.get(Logger), 'info').mockImplementation();
  const lines: unknown[] = [];
  const onConsole = (...more: unknown[]) => void lines.push(...more);
  const items = [...contacts(2), { phone: '07700 900123', text: 'Hello' }];
  await run({
    items,
    parameters: SEND_BULK,
    mode: 'trigger',
    onError: 'continueErrorOutput',
    onConsole,
  });

  expect(info.mock.calls.map(([line]) => line)).toEqual([
    'Messaging Send: 2 sent, 1 not sent, 2 credits used, 99998 left, 1 request.',
  ]);
  expect(JSON.stringify(info.mock.calls)).not.toContain(KEY);
  expect(lines).toEqual([]);
});

describe('The hint above the output', () => {
  test('contains the messages sent, the credits and the requests', async () => {
    sandbox().setCredits(1000);
    expect(hintsOf(await run({ items: contacts(250), parameters: SEND_BULK }))).toEqual([
      {
        message:
          '250 sent, 250 credits used, 750 left, 3 requests. Running this step again sends the 250 messages again.',
        type: 'info',
        location: 'outputPane',
      },
    ]);
  });

  test('is a warning if a message failed or is uncertain', async () => {
    sandbox().setFaults([{ kind: 'reset-after', after: 1 }]);
    const items = [...contacts(7), { phone: phoneAt(0), text: 'Hello 0' }, { phone: 'abc', text: 'Hello' }];
    const parameters = inBatchesOf(2, withOptions(SEND_BULK, { parallelRequests: 1, duplicateMessages: 'sendOnce' }));
    expect(hintsOf(await run({ items, parameters, onError: 'continueErrorOutput' }))).toEqual([
      {
        message:
          '5 sent, 1 not sent, 2 uncertain (may have been sent), 1 skipped as a duplicate, 5 credits used, 99993 left, 5 requests. Running this step again sends the 5 messages again, and the 2 uncertain messages.',
        type: 'warning',
        location: 'outputPane',
      },
    ]);
  });

  test('reports after a retry how many messages an earlier attempt sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 403, after: 1 }]);
    const parameters = inBatchesOf(2, withOptions(SEND_BULK, { parallelRequests: 1 }));
    const last = hintsOf(await run({ items: contacts(6), parameters, retryOnFail: { maxTries: 2 } })).at(-1);
    expect(last?.message).toBe(
      '6 sent (2 of them in an earlier attempt), 6 credits used, 99994 left, 2 requests. Running this step again sends the 6 messages again.',
    );
  });

  test('counts a duplicate of an uncertain message as uncertain', async () => {
    sandbox().setFaults([{ kind: 'reset-after' }]);
    const parameters = withOptions(SEND_BULK, { duplicateMessages: 'sendOnce' });
    const items = [...contacts(1), ...contacts(1), { phone: 'abc', text: 'Hello' }, { phone: 'abc', text: 'Hello' }];
    const [hint] = hintsOf(await run({ items, parameters, onError: 'continueErrorOutput' }));
    expect(hint?.message).toBe(
      '0 sent, 2 not sent, 2 uncertain (may have been sent), 1 request. Running this step again sends the uncertain message again.',
    );
  });

  test('reports the credits that are left now, after a top-up', async () => {
    sandbox().setCredits(2);
    const setup = { account: accountOf(sandbox()), items: contacts(3), parameters: SEND };
    const first = await runWorkflow(setup);
    sandbox().setCredits(1000);
    const [hint] = hintsOf(await retryExecution(first, setup));
    expect(hint?.message).toContain('3 sent (2 of them in an earlier attempt), 3 credits used, 999 left, 1 request.');
  });

  test('recommends Send Bulk if Send made many requests', async () => {
    const few = hintsOf(await run({ items: contacts(9), parameters: SEND }));
    expect(few).toHaveLength(1);
    const many = hintsOf(await run({ items: contacts(150), parameters: SEND }));
    expect(many[1]).toEqual({
      message:
        'Send made one request for each of the 150 messages, and the service allows 60 per minute. Send Bulk would need 2 requests.',
      type: 'warning',
      location: 'outputPane',
    });
    expect(hintsOf(await run({ items: contacts(150), parameters: SEND_BULK }))).toHaveLength(1);
  });

  test('names what running the step again would send again only in the editor, and only if there is anything', async () => {
    const production = hintsOf(await run({ items: contacts(2), parameters: SEND_BULK, mode: 'trigger' }));
    expect(production[0]?.message).toBe('2 sent, 2 credits used, 99998 left, 1 request.');
    const planned = hintsOf(await run({ items: contacts(2), parameters: withOptions(SEND_BULK, { dryRun: true }) }));
    expect(planned[0]?.message).toBe(
      'Dry run: 2 messages would be sent in 1 request, for 2 credits. Nothing was sent.',
    );
    const once = withOptions(SEND_BULK, { duplicateMessages: 'sendOnceEver' });
    const remembered = hintsOf(await run({ items: contacts(2), parameters: once }));
    expect(remembered[0]?.message).toMatch(/^2 sent, 2 credits used, \d+ left, 1 request\.$/);
  });

  test('contains no phone number, text or key', async () => {
    sandbox().setFaults([{ kind: 'status', status: 500, after: 1, message: `${phoneAt(1)} ${KEY}` }]);
    const text = JSON.stringify(
      hintsOf(await run({ items: contacts(12), parameters: SEND, onError: 'continueRegularOutput' })),
    );
    expect(text).not.toMatch(/4477009\d{5}|Hello/);
    expect(text).not.toContain(KEY);
  });
});
