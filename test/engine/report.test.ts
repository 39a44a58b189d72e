import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';

import { KEY } from '../support/account';
import { contacts } from '../support/contacts';
import { runWorkflow } from '../support/engine/workflow';
import { SEND_BULK } from '../support/parameters';
import { accountOf, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();

afterEach(() => jest.restoreAllMocks());

test('a manual run tells in the browser console how far it is, without numbers or texts', async () => {
  const lines: unknown[] = [];
  const onConsole = (...more: unknown[]) => void lines.push(...more);
  await runWorkflow({ account: accountOf(sandbox()), items: contacts(250), parameters: SEND_BULK, onConsole });

  expect(lines.at(-1)).toBe('Send: 250 of 250 messages done');
  expect(lines.join()).not.toMatch(/4477009|Hello/);
});

test('a production run writes one line to the log, without numbers, texts or the key', async () => {
  const info = jest.spyOn(Container.get(Logger), 'info').mockImplementation(() => {});
  const lines: unknown[] = [];
  const onConsole = (...more: unknown[]) => void lines.push(...more);
  const items = [...contacts(2), { phone: '07700 900123', text: 'Hello' }];
  await runWorkflow({
    account: accountOf(sandbox()),
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
