import type { INodeParameters } from 'n8n-workflow';

import { contacts, phoneAt } from '../support/contacts';
import { linkIn, open } from '../support/engine/webhook';
import {
  continueWaiting,
  type Execution,
  retryExecution,
  runRouting,
  runWorkflow,
  type Setup,
} from '../support/engine/workflow';
import { detailsOf } from '../support/outputs';
import { SEND_AND_WAIT, withOptions } from '../support/parameters';
import { accountOf, receivedPhones, receivedTexts, sandboxForTests } from '../support/sandbox';

const sandbox = sandboxForTests();
const setupOf = (setup: Partial<Setup> = {}): Setup => ({
  account: accountOf(sandbox()),
  items: contacts(1),
  parameters: SEND_AND_WAIT,
  mode: 'trigger',
  ...setup,
});
const withParameters = (parameters: INodeParameters) => setupOf({ parameters: { ...SEND_AND_WAIT, ...parameters } });
const latestText = () => receivedTexts(sandbox()).at(-1) ?? '';
const waitTill = ({ run }: Execution) => run.waitTill;
const FOREVER = new Date('3000-01-01T00:00:00.000Z');

describe('Send and Wait for Response', () => {
  test('sends one message, which ends with a link, and waits', async () => {
    const waiting = await runWorkflow(setupOf({ items: contacts(3) }));
    expect(waiting.error).toBeUndefined();
    expect(receivedPhones(sandbox())).toEqual([phoneAt(0)]);
    expect(latestText()).toMatch(/^Hello 0\nhttp:\/\/127\.0\.0\.1\/\S+\/2\?q=0&signature=[0-9a-f]{64}$/);
    expect(waitTill(waiting)).toEqual(FOREVER);
  });

  test('asks once with Retry On Fail, also if its input tells of an error', async () => {
    const items = [{ ...contacts(1)[0], error: 'The import took too long' }];
    const setup = setupOf({ items, retryOnFail: { maxTries: 3 } });
    const waiting = await runWorkflow(setup);
    expect(waitTill(waiting)).toEqual(FOREVER);
    const { outputs } = await continueWaiting(waiting, setup);
    expect(outputs[0]?.map(({ json }) => json)).toEqual(items);
    expect(receivedPhones(sandbox())).toEqual([phoneAt(0)]);
  });

  test('passes its input on when the time is up', async () => {
    const setup = setupOf({ items: contacts(2) });
    const { outputs, run } = await continueWaiting(await runWorkflow(setup), setup);
    expect(run.waitTill).toBeUndefined();
    expect(outputs[0]?.map(({ json }) => json)).toEqual(contacts(2));
    expect(receivedPhones(sandbox())).toEqual([phoneAt(0)]);
  });

  test('passes on no answer to an earlier question when the time is up', async () => {
    const answered = { approved: true, respondedAt: '2026-01-01T00:00:00.000Z' };
    const setup = setupOf({ items: [{ ...contacts(1)[0], data: answered }] });
    const { outputs } = await continueWaiting(await runWorkflow(setup), setup);
    expect(outputs[0]?.map(({ json }) => json)).toEqual(contacts(1));
  });

  test('approves no call of a tool when the time is up, even if the model has written that it is approved', async () => {
    const items = [{ ...contacts(1)[0], approved: true, data: { approved: true } }];
    const setup = setupOf({ items, isHumanReview: true });
    const waiting = await runWorkflow(setup);
    expect(waitTill(waiting)).toEqual(FOREVER);
    const { outputs } = await continueWaiting(waiting, setup);
    expect(outputs[0]?.map(({ json }) => json)).toEqual([{ data: { approved: false } }]);
  });

  test.each([[['a', 'b']], ['words'], [{ id: 1 }]])(
    'passes on data of its input that is no answer: %j',
    async (data) => {
      const items = [{ ...contacts(1)[0], data }];
      const setup = setupOf({ items });
      const { outputs } = await continueWaiting(await runWorkflow(setup), setup);
      expect(outputs[0]?.map(({ json }) => json)).toEqual(items);
    },
  );

  test('asks every question that is due, one after the other', async () => {
    const setup = setupOf({ connectedTwice: true });
    const first = await runWorkflow(setup);
    expect(receivedTexts(sandbox())).toHaveLength(1);
    const second = await continueWaiting(first, setup);
    expect(waitTill(second)).toEqual(FOREVER);
    expect(receivedTexts(sandbox())).toHaveLength(2);
    expect(waitTill(await continueWaiting(second, setup))).toBeUndefined();
    expect(receivedTexts(sandbox())).toHaveLength(2);
  });

  test.each([
    ['minutes', 90_000],
    ['hours', 5_400_000],
    ['days', 129_600_000],
  ])('waits as long as Limit Wait Time says, in %s', async (resumeUnit, milliseconds) => {
    const limitWaitTime = { values: { limitType: 'afterTimeInterval', resumeAmount: 1.5, resumeUnit } };
    const before = Date.now();
    const waiting = await runWorkflow(setupOf({ parameters: withOptions(SEND_AND_WAIT, { limitWaitTime }) }));
    const end = waitTill(waiting)?.getTime() ?? 0;
    expect(end).toBeGreaterThanOrEqual(before + milliseconds);
    expect(end).toBeLessThanOrEqual(Date.now() + milliseconds);
  });

  test("waits until a date and time, in the workflow's time zone", async () => {
    const limitWaitTime = { values: { limitType: 'atSpecifiedTime', maxDateAndTime: '2999-06-01T12:00:00' } };
    const parameters = withOptions(SEND_AND_WAIT, { limitWaitTime });
    const waiting = await runWorkflow(setupOf({ parameters, settings: { timezone: 'Asia/Tokyo' } }));
    expect(waitTill(waiting)).toEqual(new Date('2999-06-01T03:00:00.000Z'));
  });

  test('ends its wait at a date and time that has passed while the message was sent', async () => {
    const end = new Date(Date.now() + 2_000);
    const limitWaitTime = { values: { limitType: 'atSpecifiedTime', maxDateAndTime: end.toISOString() } };
    sandbox().setFaults([{ kind: 'delay', ms: 2_500 }]);
    const waiting = await runWorkflow(setupOf({ parameters: withOptions(SEND_AND_WAIT, { limitWaitTime }) }));
    expect(waitTill(waiting)).toEqual(end);
  });

  test('waits for ever if the time is longer than n8n can wait', async () => {
    const limitWaitTime = { values: { limitType: 'afterTimeInterval', resumeAmount: 1e9, resumeUnit: 'days' } };
    const waiting = await runWorkflow(setupOf({ parameters: withOptions(SEND_AND_WAIT, { limitWaitTime }) }));
    expect(waitTill(waiting)).toEqual(FOREVER);
  });

  test.each(['2001-01-01T00:00:00', 'tomorrow', ''])(
    'sends nothing if the date and time is "%s"',
    async (maxDateAndTime) => {
      const limitWaitTime = { values: { limitType: 'atSpecifiedTime', maxDateAndTime } };
      const { error } = await runWorkflow(setupOf({ parameters: withOptions(SEND_AND_WAIT, { limitWaitTime }) }));
      expect(error?.message).toBe("The option 'Max Date and Time' must be a date and time in the future");
      expect(receivedTexts(sandbox())).toEqual([]);
    },
  );

  test('says how many characters the link needs if the text is too long for it', async () => {
    await runWorkflow(setupOf());
    const link = latestText().length - 'Hello 0'.length;
    const fits = withParameters({ message: 'x'.repeat(1000 - link) });
    expect(waitTill(await runWorkflow(fits))).toEqual(FOREVER);
    const { error, run } = await runWorkflow(withParameters({ message: '😀'.repeat(1001 - link) }));
    expect(error?.message).toBe(
      `The message has ${1001 - link} characters and its link ${link}, but at most 1000 can be sent in all`,
    );
    expect(run.waitTill).toBeUndefined();
    expect(receivedTexts(sandbox())).toHaveLength(2);
  });

  test('sends nothing if the text is empty, although there is a link', async () => {
    const { error } = await runWorkflow(withParameters({ message: ' ' }));
    expect(error?.message).toBe('The message is empty');
  });

  test('reports a rejected message as Send does, and does not wait', async () => {
    sandbox().setFaults([{ kind: 'status', status: 422, times: 9 }]);
    const stopped = await runWorkflow(setupOf());
    expect(stopped.error?.name).toBe('NodeApiError');
    const continued = await runWorkflow(setupOf({ onError: 'continueErrorOutput' }));
    expect(continued.run.waitTill).toBeUndefined();
    expect(detailsOf(continued.outputs[1]?.[0])).toMatchObject({ outcome: 'not_sent', phone: phoneAt(0) });
  });

  test('sends nothing again that may have been sent, and says that its link no longer works', async () => {
    sandbox().setFaults([{ kind: 'status', status: 500, after: 0, times: 1 }]);
    const setup = setupOf({ retryOnFail: { maxTries: 3 } });
    const failed = await runWorkflow(setup);
    expect(failed.error?.description).toContain('its link no longer works. To ask again, start a new execution.');
    const continued = { ...setup, onError: 'continueRegularOutput' } as const;
    const retried = await retryExecution(failed, setup, continued);
    expect(detailsOf(retried.outputs[0]?.[0])).toMatchObject({ outcome: 'uncertain', code: 'SERVER_ERROR' });
    expect(retried.run.waitTill).toBeUndefined();
    expect(
      sandbox()
        .requests()
        .filter(({ path }) => path.endsWith('/send')),
    ).toHaveLength(1);
  });

  test('sends a message that was rejected when it is retried, with a link of the retry', async () => {
    sandbox().setFaults([{ kind: 'status', status: 422, times: 1 }]);
    const setup = setupOf();
    const failed = await runWorkflow(setup);
    const retried = await retryExecution(failed, setup);
    expect(waitTill(retried)).toEqual(FOREVER);
    expect((await open(retried, setup, linkIn(latestText()))).status).toBe(200);
  });

  test('sends the rest of the text as it was evaluated once, also on its page', async () => {
    const setup = withParameters({ message: '={{ $json.text + Math.random() }}' });
    const waiting = await runWorkflow(setup);
    const [text = '', link = ''] = latestText().split('\n');
    expect(text).toMatch(/^Hello 00\.\d+$/);
    expect((await open(waiting, setup, link)).page).toContain(`<h1 id="question">${text}</h1>`);
  });

  test('is refused through its routing, where n8n can not wait', async () => {
    await expect(runRouting(setupOf())).rejects.toThrow("'Send and Wait for Response' does not work as a tool");
    expect(receivedTexts(sandbox())).toEqual([]);
  });
});

describe('The link of Send and Wait for Response', () => {
  const ask = async (setup: Setup) => ({ waiting: await runWorkflow(setup), link: linkIn(latestText()) });

  test('shows the question, and answers nothing when it is opened', async () => {
    const setup = withParameters({ message: 'Refund <b>50</b>?' });
    const { waiting, link } = await ask(setup);
    const { status, page, headers, item } = await open(waiting, setup, link);
    expect([status, item]).toEqual([200, undefined]);
    expect(page).toContain('<h1 id="question">Refund &lt;b&gt;50&lt;/b&gt;?</h1>');
    expect(page).toContain('Approve</button>');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  test.each([
    ['approve', true],
    ['decline', false],
  ])('answers with the button "%s"', async (decision, approved) => {
    const setup = setupOf();
    const { waiting, link } = await ask(setup);
    const { page, item } = await open(waiting, setup, link, { decision, comment: 'ignored: the page has no field' });
    expect(page).toContain('Thank you. You can close this page.');
    expect(item).toEqual({ data: { approved, respondedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string } });
  });

  test('passes a comment on where the page has a field for it', async () => {
    const setup = withParameters({ approvalOptions: { values: { commentLabel: 'Why?' } } });
    const { waiting, link } = await ask(setup);
    expect((await open(waiting, setup, link)).page).toContain('<label for="comment">Why?</label>');
    const { item } = await open(waiting, setup, link, { decision: 'decline', comment: ' too much ' });
    expect(item).toMatchObject({ data: { approved: false, comment: 'too much' } });
  });

  test('answers with a text', async () => {
    const setup = withParameters({
      responseType: 'freeText',
      options: { responseButtonLabel: 'Senden', thankYouText: 'Danke!' },
    });
    const { waiting, link } = await ask(setup);
    expect((await open(waiting, setup, link)).page).toContain('Senden</button>');
    const { page, item } = await open(waiting, setup, link, { text: 'Tuesday\nat 9' });
    expect(page).toContain('Danke!');
    expect(item).toMatchObject({ data: { text: 'Tuesday\nat 9' } });
  });

  test.each([
    ['approval', {}],
    ['approval', { decision: 'maybe' }],
    ['approval', { decision: ['approve'] }],
    ['freeText', { text: '  ' }],
    ['freeText', { decision: 'approve' }],
  ])('goes on waiting if a form for %s holds %j', async (responseType, form) => {
    const setup = withParameters({ responseType });
    const { waiting, link } = await ask(setup);
    const { status, item, page } = await open(waiting, setup, link, form);
    expect([status, item]).toEqual([400, undefined]);
    expect(page).toContain('<form method="post">');
  });

  test('does not decline where the page offers only to approve', async () => {
    const setup = withParameters({ approvalOptions: { values: { approvalType: 'single', approveLabel: 'Seen' } } });
    const { waiting, link } = await ask(setup);
    const { page } = await open(waiting, setup, link);
    expect(page).toContain('Seen</button>');
    expect(page).not.toContain('Decline');
    expect((await open(waiting, setup, link, { decision: 'decline' })).status).toBe(400);
  });

  test('of an earlier question of the execution neither shows nor answers a later one', async () => {
    const setup = setupOf();
    const { waiting, link } = await ask(setup);
    const later = link.replace('q=0', 'q=1');
    for (const form of [undefined, { decision: 'approve' }]) {
      const { status, item, page } = await open(waiting, setup, later, form);
      expect([status, item]).toEqual([410, undefined]);
      expect(page).not.toContain('Hello 0');
    }
  });
});
