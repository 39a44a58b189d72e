/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** 'Send Window': nobody gets a message outside of the hours that the user chose, by the recipient's clock. */
import type { INodeParameters } from 'n8n-workflow';

import { processedData } from '../../tools/engine/processedData';
import { contacts, phoneAt } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { hintsOf, outcomesOf, reasonsOf } from '../support/outputs';
import { SEND, SEND_BULK, SENDERS, withOptions } from '../support/parameters';

const { sandbox, run, refused, received, requests, campaign } = nodeForTests();
const within = (parameters: INodeParameters, options: INodeParameters = {}): INodeParameters =>
  withOptions(parameters, { sendWindow: '09:00–20:00', ...options });

const LONDON = phoneAt(0);
const NEW_YORK = '12125550109';
const REYKJAVIK = ['3546111234', '3546111235'];
const TOKYO = '819012345678';
const MONDAY = Date.UTC(2026, 5, 15);
/** Sets n8n's clock, which a test may move on. */
function at(hours: number, minutes = 0): void {
  jest.spyOn(Date, 'now').mockImplementation(() => MONDAY + (hours * 60 + minutes) * 60_000);
}
afterEach(() => jest.restoreAllMocks());

const TO_THREE = [LONDON, NEW_YORK, TOKYO].map((phone) => ({ phone, text: 'Hello' }));

test.each(SENDERS)('%s sends where the clock is inside, and says when others get it', async (_name, parameters) => {
  // 09:30 in London, 04:30 in New York, 17:30 in Tokyo; numbers with +1 wait for all of North America.
  at(8, 30);
  const ran = await run({ items: TO_THREE, parameters: within(parameters) });
  expect(received().sort()).toEqual([LONDON, TOKYO]);
  expect(outcomesOf(ran)).toEqual(['sent', 'skipped', 'sent']);
  const { phone, reason, send_at: sendAt } = ran.outputs[0]?.[1]?.json ?? {};
  expect({ phone, reason }).toEqual({ phone: NEW_YORK, reason: 'outside_window' });
  // 09:00 in Hawaii is 15:00 in New York and 16:30 in Newfoundland.
  expect(sendAt).toBe('2026-06-15T19:00:00.000Z');
  expect(hintsOf(ran)[0]?.message).toMatch(/^2 sent, 1 skipped because of 'Send Window', /);
});

test("A number that belongs to no country waits for the workflow's clock; n8n's, New York, if the workflow has none", async () => {
  const parameters = within(SEND_BULK, { sendWindow: '08:31 - 20:00', numberCheck: 'off' });
  const step = { items: [{ phone: '881612345678', text: 'Hello' }], parameters };
  for (const settings of [{}, { timezone: 'DEFAULT' }]) {
    at(12, 30);
    expect((await run({ ...step, settings })).outputs[0]?.[0]?.json.send_at).toBe('2026-06-15T12:31:00.000Z');
    at(12, 31);
    expect(outcomesOf(await run({ ...step, settings }))).toEqual(['sent']);
  }
});

test.each<[window: string, isOpen: boolean]>([
  ['mon 8:30–9:31', true],
  ['Monday to Friday, 09:00 to 20:00', true],
  ['Sat-Mon, Wed 09:30-09:31', true],
  ['20:00–09:31', true],
  ['Tue, Wed 09:00-20:00; Mon, Thu 09:30-09:31', true],
  ['Mon 07:00–09:00\nMon 10:00–12:00', false],
  ['20:00–00:00', false],
  ['Tue – Sun 09:00–20:00', false],
])('On Monday at 09:30 in London, the window %j is open: %s', async (window, isOpen) => {
  at(8, 30);
  const parameters = within(SEND_BULK, { sendWindow: window });
  expect(outcomesOf(await run({ items: contacts(1), parameters }))).toEqual([isOpen ? 'sent' : 'skipped']);
});

test.each<unknown>([
  '',
  '9 am – 8 pm',
  '09:00',
  '09:00–09:00',
  '9:00–5:00',
  '24:00–25:00',
  'M 09:00–20:00',
  'Mon–Fri–Sun 09:00–20:00',
  'weekdays 09:00–20:00',
  '09:00–20:00–22:00',
  'Mon 09:00–20:00, Sat',
  'Mon–Fri 09:00–12:00, 14:00–18:00',
  'Mon 09:00–20:00, 25:00–26:00',
  '={{ undefined }}',
  { values: { from: '09:00', to: '20:00' } },
])('With the window %j nothing is sent', async (window) => {
  const parameters = within(SEND_BULK, { sendWindow: window } as INodeParameters);
  expect(await refused(parameters)).toMatch(/^'Send Window' must be time spans such as /);
});

test('A campaign that lasts longer than the window sends nothing after its end', async () => {
  at(18, 59);
  const ended = run({ items: contacts(3), parameters: within(SEND, { parallelRequests: 1 }) });
  while (requests().length === 0) await new Promise(setImmediate);
  at(19);
  const ran = await ended;
  expect(outcomesOf(ran)).toEqual(['sent', 'skipped', 'skipped']);
  expect(ran.outputs[0]?.[2]?.json.send_at).toBe('2026-06-16T08:00:00.000Z');
  expect(received()).toEqual([phoneAt(0)]);
});

test('A message whose window closes while its batch is searched for an offender is kept back, and the others are sent', async () => {
  at(18, 59);
  const status = { kind: 'status', status: 422, on: 'bulk' } as const;
  // The first answer names a message that is not to blame, so all of them are sent alone.
  sandbox().setFaults([
    { ...status, fields: ['messages.2.phone'] },
    { ...status, after: 1, details: 'wrong' },
  ]);
  const items = [LONDON, ...REYKJAVIK].map((phone) => ({ phone, text: 'Hello' }));
  const ended = run({ items, parameters: within(SEND_BULK), onError: 'continueRegularOutput' });
  while (requests().length === 0) await new Promise(setImmediate);
  at(19);
  expect(outcomesOf(await ended)).toEqual(['skipped', 'sent', 'sent']);
  expect(received()).toEqual(REYKJAVIK);
});

test('A window that closes while the database takes the note keeps the messages back', async () => {
  at(18, 59);
  let checks = 0;
  processedData.set({ onCheck: () => (checks += 1) === 2 && at(19) });
  const ran = await run({ mode: 'trigger', items: contacts(2), parameters: within(SEND_BULK) });
  expect(outcomesOf(ran)).toEqual(['skipped', 'skipped']);
  expect(received()).toEqual([]);
});

test('What a window kept back after a 429 is sent by a Retry after a kill', async () => {
  at(18, 59);
  sandbox().setFaults([{ kind: 'status', status: 429, retryAfter: 1, times: 1 }]);
  const killed = campaign({ items: contacts(2), parameters: within(SEND_BULK, { longestWait: 1 }) });
  const ended = killed.runAndForget('kept');
  while (requests().length === 0) await new Promise(setImmediate);
  at(19);
  await ended;
  expect(received()).toEqual([]);
  at(34);
  expect(outcomesOf(await killed.run())).toEqual(['sent', 'sent']);
});

test.each(['sendOnce', 'sendOnceEver'])('What was kept back is sent later, once, with %s', async (choice) => {
  const setup = { items: [...TO_THREE, ...TO_THREE] };
  const parameters = within(SEND_BULK, { duplicateMessages: choice });
  at(8, 30);
  const [closed, same] = ['outside_window', 'duplicate'];
  expect(reasonsOf(await run({ ...setup, parameters }))).toEqual([undefined, closed, undefined, same, closed, same]);
  at(19, 30);
  expect(outcomesOf(await run({ ...setup, items: TO_THREE.slice(1, 2), parameters }))).toEqual(['sent']);
  expect(received().sort()).toEqual([NEW_YORK, LONDON, TOKYO].sort());
});
