/** What a run shows besides its items: progress, the log and hints. */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';

import { KEY } from '../support/account';
import { contacts, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import type { Execution } from '../support/engine/workflow';
import { hintsOf } from '../support/outputs';
import { inBatchesOf, SEND, SEND_BULK, withOptions } from '../support/parameters';

const { sandbox, setupOf, run, retry } = nodeForTests();
const firstHint = (ran: Execution) => hintsOf(ran)[0]?.message;
const INVALID = { phone: 'abc', text: 'Hello' };

afterEach(() => jest.restoreAllMocks());

test('A manual run shows its progress in the browser console, without phone numbers or texts', async () => {
  const lines: unknown[] = [];
  await run({ items: contacts(250), parameters: SEND_BULK, onConsole: (...more) => void lines.push(...more) });
  expect(lines.at(-1)).toBe('Send: 250 of 250 messages done');
  expect(lines.join()).not.toMatch(/4477009|Hello/);
});

test('A production run writes one line to the log, without phone numbers, texts or the key', async () => {
  const info = jest.spyOn(Container.get(Logger), 'info').mockImplementation();
  const onConsole = jest.fn();
  const items = [...contacts(2), INVALID];
  await run({ items, parameters: SEND_BULK, mode: 'trigger', onError: 'continueErrorOutput', onConsole });
  expect(info.mock.calls.map(([line]) => line)).toEqual([
    'Messaging Send: 2 sent, 1 not sent, 2 credits used, 99998 left, 1 request. Not sent: the phone number contains letters.',
  ]);
  expect(JSON.stringify(info.mock.calls)).not.toContain(KEY);
  expect(onConsole).not.toHaveBeenCalled();
});

describe('The hint above the output', () => {
  test('contains the messages sent, the credits and the requests', async () => {
    sandbox().setCredits(1000);
    const message =
      '250 sent, 250 credits used, 750 left, 3 requests. Running this step again sends the 250 messages again.';
    expect(hintsOf(await run({ items: contacts(250), parameters: SEND_BULK }))).toEqual([
      { message, type: 'info', location: 'outputPane' },
    ]);
  });

  test('is a warning if a message failed or is uncertain', async () => {
    sandbox().setFaults([{ kind: 'reset-after', after: 1 }]);
    const items = [...contacts(7), { phone: phoneAt(0), text: 'Hello 0' }, INVALID];
    const parameters = inBatchesOf(2, withOptions(SEND_BULK, { parallelRequests: 1, duplicateMessages: 'sendOnce' }));
    const message =
      '5 sent, 1 not sent, 2 uncertain (may have been sent), 1 skipped as a duplicate, 5 credits used, 99993 left, 5 requests. Not sent: the phone number contains letters. Uncertain: the connection to the service was lost before its response arrived. Running this step again sends the 5 messages again, and the 2 uncertain messages.';
    expect(hintsOf(await run({ items, parameters, onError: 'continueErrorOutput' }))).toEqual([
      { message, type: 'warning', location: 'outputPane' },
    ]);
  });

  test('counts a duplicate of an uncertain message as uncertain', async () => {
    sandbox().setFaults([{ kind: 'reset-after' }]);
    const parameters = withOptions(SEND_BULK, { duplicateMessages: 'sendOnce' });
    const items = [...contacts(1), ...contacts(1), INVALID, INVALID];
    expect(firstHint(await run({ items, parameters, onError: 'continueErrorOutput' }))).toBe(
      '0 sent, 2 not sent, 2 uncertain (may have been sent), 1 request. Not sent: the phone number contains letters. Uncertain: the connection to the service was lost before its response arrived. Running this step again sends the uncertain message again.',
    );
  });

  test('names the cause and what all messages need, if the credits cover none of them', async () => {
    sandbox().setCredits(12);
    const ran = await run({ items: contacts(200), parameters: SEND_BULK, onError: 'continueErrorOutput' });
    expect(firstHint(ran)).toMatch(
      /^Nothing was sent: not enough credits \(200 needed, 12 left\)\. 200 not sent, [12] requests?\.$/,
    );
  });

  test.each([
    ['of one number', phoneAt(0), phoneAt(0), 'All messages went to 1 number.'],
    ['of one person in two spellings', '541123456789', '5491123456789', 'All messages went to 1 number.'],
    ['of two numbers, one of which gets two', phoneAt(0), phoneAt(1), 'More than one message went to 1 number.'],
  ])('counts the people %s', async (_what, one, other, sentence) => {
    const items = [one, other, one].map((phone, index) => ({ phone, text: `Hello ${index}` }));
    expect(firstHint(await run({ items, parameters: SEND_BULK }))).toContain(` request. ${sentence} Running`);
    const dry = await run({ items, parameters: withOptions(SEND_BULK, { dryRun: true }) });
    expect(firstHint(dry)).toContain(` Nothing was sent. ${sentence.replace('went', 'would go')}`);
  });

  test('reports after a retry what an earlier attempt sent, and the credits that are left now, after a top-up', async () => {
    sandbox().setCredits(2);
    const setup = setupOf({ items: contacts(3), parameters: SEND });
    const first = await run(setup);
    sandbox().setCredits(1000);
    expect(firstHint(await retry(first, setup))).toBe(
      '3 sent (2 of them in an earlier attempt), 3 credits used, 999 left, 1 request.',
    );
  });

  test('recommends Send Bulk if Send made many requests', async () => {
    expect(hintsOf(await run({ items: contacts(9), parameters: SEND }))).toHaveLength(1);
    const message =
      'Send made one request for each of the 150 messages, and the service allows 60 per minute. Send Bulk would need 2 requests.';
    expect(hintsOf(await run({ items: contacts(150), parameters: SEND }))[1]).toEqual({
      message,
      type: 'warning',
      location: 'outputPane',
    });
    expect(hintsOf(await run({ items: contacts(150), parameters: SEND_BULK }))).toHaveLength(1);
  });

  test('names what running the step again would send again only in the editor, and only if there is anything', async () => {
    const items = contacts(2);
    expect(firstHint(await run({ items, parameters: SEND_BULK, mode: 'trigger' }))).toBe(
      '2 sent, 2 credits used, 99998 left, 1 request.',
    );
    expect(firstHint(await run({ items, parameters: withOptions(SEND_BULK, { dryRun: true }) }))).toBe(
      'Dry run: 2 messages would be sent in 1 request, for 2 credits. Nothing was sent.',
    );
    const once = withOptions(SEND_BULK, { duplicateMessages: 'sendOnceEver' });
    expect(firstHint(await run({ items, parameters: once }))).toMatch(
      /^2 sent, 2 credits used, \d+ left, 1 request\.$/,
    );
  });

  test('contains no phone number, text or key', async () => {
    sandbox().setFaults([{ kind: 'status', status: 500, after: 1, message: `${phoneAt(1)} ${KEY}` }]);
    const hints = hintsOf(await run({ items: contacts(12), parameters: SEND, onError: 'continueRegularOutput' }));
    expect(hints).not.toEqual([]);
    expect(JSON.stringify(hints)).not.toMatch(/4477009\d{5}|Hello/);
    expect(JSON.stringify(hints)).not.toContain(KEY);
  });
});
