import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contacts, phoneAt, phones } from '../support/contacts';
import { nodeForTests } from '../support/engine/nodeForTests';
import { linkIn, open } from '../support/engine/webhook';
import { continueWaiting, type Execution, runRouting, type Setup } from '../support/engine/workflow';
import { detailsOf, hintsOf } from '../support/outputs';
import { SEND_AND_WAIT, withOptions } from '../support/parameters';

const common = { items: contacts(1), parameters: SEND_AND_WAIT, mode: 'trigger' } as const;
const { sandbox, setupOf, run, retry, campaign, ask, received, texts, requests } = nodeForTests(common);
const withParameters = (parameters: INodeParameters) => setupOf({ parameters: { ...SEND_AND_WAIT, ...parameters } });
const latestText = () => texts().at(-1) ?? '';
const waitTill = ({ run }: Execution) => run.waitTill;
const FOREVER = new Date('3000-01-01T00:00:00.000Z');

describe('Send and Wait for Response', () => {
  test('sends one message, which ends with a link, and waits', async () => {
    const waiting = await run({ items: contacts(3) });
    expect(waiting.error).toBeUndefined();
    expect(received()).toEqual(phones(0));
    expect(latestText()).toMatch(/^Hello 0\nhttp:\/\/127\.0\.0\.1\/\S+\/2\?q=0&signature=[0-9a-f]{64}$/);
    expect(waitTill(waiting)).toEqual(FOREVER);
    const hint = 'Only the question of the first of 3 items was sent. To ask one for each item, use Loop Over Items.';
    expect(hintsOf(waiting)).toContainEqual({ message: hint, type: 'warning', location: 'outputPane' });
    expect(JSON.stringify(hintsOf(await run({})))).not.toContain('Only the question');
  });

  test('ignores options of Send that are left in a workflow, such as Dry Run', async () => {
    const left = { dryRun: true, testRun: phoneAt(9), neverSendTo: phoneAt(0), sendWindow: '', parallelRequests: 0 };
    expect(waitTill(await run({ parameters: withOptions(SEND_AND_WAIT, left) }))).toEqual(FOREVER);
    expect(received()).toEqual(phones(0));
  });

  const contact = contacts(1)[0];
  const failed = { ...contact, error: 'The import took too long' };
  const answered = { approved: true, respondedAt: '2026-01-01T00:00:00.000Z' };
  const approved = { ...contact, approved: true, data: { approved: true } };

  test.each<[what: string, given: Partial<Setup> & Pick<Setup, 'items'>, passedOn?: IDataObject[]]>([
    ['passes its input on when the time is up', { items: contacts(2) }],
    ['asks once with Retry On Fail, even if its input has an error', { items: [failed], retryOnFail: { maxTries: 3 } }],
    ['passes on no answer to an earlier question', { items: [{ ...contact, data: answered }] }, contacts(1)],
    ['passes on data of its input that is no answer: a list', { items: [{ ...contact, data: ['a', 'b'] }] }],
    ['passes on data of its input that is no answer: a text', { items: [{ ...contact, data: 'words' }] }],
    ['passes on data of its input that is no answer: an object', { items: [{ ...contact, data: { id: 1 } }] }],
    [
      'approves no call of a tool when the time is up, even if the model has written that it is approved',
      { items: [approved], parameters: { ...SEND_AND_WAIT, sendTo: phoneAt(0) }, type: 'HitlTool' },
      [{ data: { approved: false } }],
    ],
  ])('%s', async (_what, given, passedOn = given.items) => {
    const setup = setupOf(given);
    const waiting = await run(setup);
    expect(waitTill(waiting)).toEqual(FOREVER);
    // A webhook that responds with the last output has it now; without any, it would tell its caller of an error.
    expect(waiting.outputs[0]).toHaveLength(given.items.length);
    const { outputs, run: ended } = await continueWaiting(waiting, setup);
    expect(ended.waitTill).toBeUndefined();
    expect(outputs[0]?.map(({ json }) => json)).toEqual(passedOn);
    expect(received()).toEqual(phones(0));
  });

  const limited = (limitWaitTime: string) => setupOf({ parameters: withOptions(SEND_AND_WAIT, { limitWaitTime }) });

  test.each<[limit: string, minutes: number]>([
    ['90 minutes', 90],
    ['1.5 Hours', 90],
    [' 1 day', 1440],
  ])('waits as long as Limit Wait Time says: %j', async (limit, minutes) => {
    const before = Date.now();
    const end = waitTill(await run(limited(limit)))?.getTime() ?? 0;
    expect(end).toBeGreaterThanOrEqual(before + minutes * 60_000);
    expect(end).toBeLessThanOrEqual(Date.now() + minutes * 60_000);
  });

  test.each(['2999-01-01T00:00:00', 'tomorrow', '', '45', '0 days', '3 moons'])(
    'sends nothing if its limit is "%s"',
    async (time) => {
      const { error } = await run(limited(time));
      expect(error?.message).toBe("'Limit Wait Time' must be a time such as 45 minutes, 2 hours or 3 days");
      expect(texts()).toEqual([]);
    },
  );

  test('says how many characters the link leaves for a text that is too long', async () => {
    await run({});
    const link = latestText().length - 'Hello 0'.length;
    expect(waitTill(await run(withParameters({ message: 'x'.repeat(1000 - link) })))).toEqual(FOREVER);
    const tooLong = await run(withParameters({ message: '😀'.repeat(1001 - link) }));
    expect(tooLong.error?.message).toBe(
      `The message has ${1001 - link} characters, but at most ${1000 - link} can be sent`,
    );
    expect(waitTill(tooLong)).toBeUndefined();
    expect(texts()).toHaveLength(2);
  });

  test('reports a rejected message as Send does, and does not wait', async () => {
    sandbox().setFaults([{ kind: 'status', status: 422, times: 9 }]);
    expect((await run({})).error?.name).toBe('NodeApiError');
    const continued = await run({ onError: 'continueErrorOutput' });
    expect(continued.run.waitTill).toBeUndefined();
    expect(detailsOf(continued.outputs[1]?.[0])).toMatchObject({ outcome: 'not_sent', phone: phoneAt(0) });
  });

  test('sends nothing again that may have been sent', async () => {
    sandbox().setFaults([{ kind: 'status', status: 500, after: 0, times: 1 }]);
    const setup = setupOf({ retryOnFail: { maxTries: 3 } });
    const retried = await retry(await run(setup), setup, { onError: 'continueRegularOutput' });
    expect(detailsOf(retried.outputs[0]?.[0])).toMatchObject({ outcome: 'uncertain', code: 'SERVER_ERROR' });
    expect(retried.run.waitTill).toBeUndefined();
    expect(requests('send')).toHaveLength(1);
  });

  test('sends a message that was rejected when it is retried, with a link of the retry', async () => {
    sandbox().setFaults([{ kind: 'status', status: 422, times: 1 }]);
    const setup = setupOf({});
    const retried = await retry(await run(setup), setup);
    expect(waitTill(retried)).toEqual(FOREVER);
    expect((await open(retried, setup, linkIn(latestText()))).status).toBe(200);
  });

  test('does not wait for an answer whose link was lost when n8n was killed, and sends no other', async () => {
    sandbox().setFaults([{ kind: 'status', status: 422, times: 1 }]);
    const killed = campaign({});
    await killed.run();
    await killed.runAndForget('kept');
    const { error, run: ended } = await killed.run({ changes: { retryOnFail: { maxTries: 2 } } });
    expect(error?.message).toBe('An earlier execution sent the message, and its link no longer works');
    expect(ended.waitTill).toBeUndefined();
    expect(received()).toEqual(phones(0));
  });

  test('sends the rest of the text as it was evaluated once, also on its page', async () => {
    const setup = withParameters({ message: '={{ $json.text + Math.random() }}' });
    const waiting = await run(setup);
    const [text = '', link = ''] = latestText().split('\n');
    expect(text).toMatch(/^Hello 00\.\d+$/);
    expect((await open(waiting, setup, link)).page).toContain(`<h1 id="question">${text}</h1>`);
  });

  test.each(['Tool', 'HitlTool'] as const)('asks nobody where n8n can not wait: as messagingSend%s', async (type) => {
    const NOT_AS_TOOL = "'Send and Wait for Response' does not work as a tool";
    await expect(runRouting(setupOf({ type }))).rejects.toThrow(NOT_AS_TOOL);
    const [routed] = await runRouting(setupOf({ type, onError: 'continueRegularOutput' }));
    expect(routed?.json.error).toContain(NOT_AS_TOOL);
    for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const) {
      const { run: ended, error, outputs } = await run({ type: 'Tool', onError });
      expect(error?.message ?? outputs.flat()[0]?.json.error).toContain(NOT_AS_TOOL);
      expect(ended.waitTill).toBeUndefined();
    }
    expect(requests()).toEqual([]);
  });
});

describe('The link of Send and Wait for Response', () => {
  test('shows the question, and answers nothing when it is opened', async () => {
    const answer = await ask(withParameters({ message: 'Refund <b>50</b>?' }));
    const { status, page, headers, item } = await answer();
    expect([status, item]).toEqual([200, undefined]);
    expect(page).toContain('<h1 id="question">Refund &lt;b&gt;50&lt;/b&gt;?</h1>');
    expect(page).toContain('Approve</button>');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  test.each([
    ['approve', true, 'Yes, refund'],
    ['decline', false, 'Decline'],
  ])('answers with the button "%s", whose label its page repeats', async (decision, approved, label) => {
    const answer = await ask(withParameters({ approvalOptions: { values: { approveLabel: 'Yes, refund' } } }));
    const { page, item, headers } = await answer({ decision, written: 'ignored: the page has no field' });
    expect(page).toContain(`Your answer: <bdi>${label}</bdi></p><h1>Thank you. You can close this page.</h1>`);
    expect(headers['x-frame-options']).toBe('DENY');
    expect(item).toEqual({ data: { approved, respondedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string } });
  });

  test('takes one of two answers, and tells the other person so in words', async () => {
    const answer = await ask(setupOf({}));
    expect((await answer({ decision: 'approve' })).item).toBeDefined();
    const { status, item, page } = await answer({ decision: 'decline' });
    expect([status, item]).toEqual([409, undefined]);
    expect(page).toContain('It has already been answered');
  });

  test('takes another answer if n8n could not take the first one', async () => {
    const answer = await ask(setupOf({}));
    await answer({ decision: 'approve' }, { n8nAnswers: 500 });
    expect((await answer({ decision: 'decline' })).item).toMatchObject({ data: { approved: false } });
  });

  test.each(['application/json', 'multipart/form-data; boundary=x', ''])(
    'is answered by nothing but the form of its page: %j is none',
    async (contentType) => {
      const answer = await ask(setupOf({}));
      const { status, item } = await answer({ decision: 'approve' }, { contentType });
      expect([status, item]).toEqual([415, undefined]);
      expect((await answer({ decision: 'approve' })).item).toBeDefined();
    },
  );

  test('takes the longest text that the page allows, and repeats none of it', async () => {
    const answer = await ask(withParameters({ responseType: 'freeText' }));
    const text = '€'.repeat(10_000);
    const { item, page } = await answer({ written: text });
    expect(item).toMatchObject({ data: { text } });
    expect(page).not.toMatch(/€|Your answer/);
  });

  test('does not decline where the page offers only to approve, but goes on waiting', async () => {
    const answer = await ask(
      withParameters({ approvalOptions: { values: { approvalType: 'single', approveLabel: 'Seen' } } }),
    );
    const declined = await answer({ decision: 'decline' });
    expect([declined.status, declined.item]).toEqual([400, undefined]);
    for (const { page } of [await answer(), declined]) {
      expect(page).toContain('Seen</button>');
      expect(page).not.toContain('Decline');
    }
    expect(declined.page).toContain('An answer is required.');
  });

  test('of another question of the execution neither shows nor answers this one', async () => {
    const answer = await ask(setupOf({}));
    const other = linkIn(latestText()).replace('q=0', 'q=1');
    for (const form of [undefined, { decision: 'approve' }]) {
      const { status, item, page } = await answer(form, {}, other);
      expect([status, item]).toEqual([410, undefined]);
      expect(page).not.toContain('Hello 0');
    }
  });
});

const OWN_TEXTS = { responseFormTitle: 'Order 1042', responseButtonLabel: 'Book', thankYouText: 'Booked.' };

test.each<[options: INodeParameters, title: string, button: string, thanks: string]>([
  [{}, 'Made-up workflow', 'Send', 'Thank you. You can close this page.'],
  [OWN_TEXTS, 'Order 1042', 'Book', 'Booked.'],
])('The page has the texts that the options %j give it', async (options, title, button, thanks) => {
  const answer = await ask(withParameters({ responseType: 'freeText', options }));
  const { page } = await answer();
  expect(page).toContain(`<title>${title}</title>`);
  expect(page).toContain(`${button}</button>`);
  expect((await answer({ written: 'Ada' })).page).toContain(`<h1>${thanks}</h1>`);
});

const GONE = { values: { commentLabel: "={{ $('Gone').item.json.label }}" } };
const NO_LABEL = "'Comment Field Label' can't be read: Referenced node doesn't exist ('Gone')";
const NO_APPROVAL = "'Response Type' must be Approval in human review";

test.each([
  ['answer it by a text', { responseType: 'freeText' }, NO_APPROVAL],
  ['answer it by what the model chooses', { responseType: "={{ $fromAI('Response', '', 'string') }}" }, NO_APPROVAL],
  ['answer it by an expression', { responseType: "={{ 'freeText' }}" }, NO_APPROVAL],
  ['not see what a field is for, as its expression fails', { approvalOptions: GONE }, NO_LABEL],
  ['be chosen by the model', { sendTo: "={{ $fromAI('Phone', ``, 'string') }}" }, "The model can't fill in 'Phone'"],
])('Human review asks nothing if the person who approves a call could %s', async (_what, changed, message) => {
  const setup = withParameters({ sendTo: phoneAt(0), ...changed });
  const { error, run: ended } = await run({ ...setup, type: 'HitlTool' });
  expect(error?.message).toContain(message);
  expect(ended.waitTill).toBeUndefined();
  expect(requests()).toEqual([]);
});
