import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { type Fault } from '../../sandbox/server';
import { isObject, type JsonObject } from '../../tools/json';
import { type Execution } from '../../tools/n8n/execution';
import { SUPPORTED } from '../../tools/n8n/releases';
import { idOf } from '../../tools/n8n/rest';
import { PATH, startPathProxy } from '../support/n8n/pathProxy';
import { immediateWebhook } from '../support/n8n/triggerNodes';
import { chain, items, messagingSend, SENDER, START, start } from '../support/n8n/workflow';
import { assertUsable, phonesForTests, press, pressTwice, waitForThanks } from './answerPage';
import { linkIn, open, submit } from './answers';
import { answersIn, type Asked, askedItem, Asking, OTHER_ITEM, sendAndWait, THEN, then } from './asking';
import { instanceForTests, sessionForTests } from './instanceForTests';

const APPROVE = { decision: 'approve' };
const DECLINE = { decision: 'decline' };
const WITH_COMMENT = { approvalOptions: { values: { commentLabel: 'Why?' } } };
const LONG_QUESTION = `Refund €148.90 for order 10482?

Reason: The parcel arrived damaged.
Photos: https://shop.example.com/orders/10482/returns/${'a-long-address-without-a-space-'.repeat(3)}`;
const FREE_TEXT = { responseType: 'freeText' };

/** How an error about a question ends that nobody may be able to answer. */
const ASK_AGAIN = /To ask again, start a new execution\./;

/** What n8n itself shows when a link needs no answer any more. */
const NO_ACTION = /No action required/;

for (const release of SUPPORTED) {
  describe(`Send and Wait for Response in n8n ${release}`, () => {
    const instance = instanceForTests({ release });
    const asking = new Asking(instance);
    const onPhone = phonesForTests();

    describe('on the page behind the link', () => {
      const answered: Array<[what: string, parameters: JsonObject, label: string, comment: string, data: JsonObject]> =
        [
          ['approves', {}, 'Approve', '', { approved: true }],
          ['declines', {}, 'Decline', '', { approved: false }],
          [
            'declines with a comment',
            WITH_COMMENT,
            'Decline',
            'Too much 🙈',
            { approved: false, comment: 'Too much 🙈' },
          ],
        ];
      for (const [what, parameters, label, comment, data] of answered) {
        test(`A person ${what}, and the next node gets that and the items before the question`, async () => {
          const asked = await asking.ask(parameters);
          await onPhone(asked.link, async (page) => {
            await page.getByRole('heading', { name: asked.text }).waitFor();
            if (comment !== '') await page.getByLabel('Why?').fill(comment);
            await press(page, label);
            await waitForThanks(page);
          });
          const ended = await asking.ended(asked);
          assert.deepEqual(answersIn(ended), [{ data, order: `of ${asked.phone}` }]);
        });
      }

      test('A person answers with a text a question that is written from right to left, with HTML in it', async () => {
        const message = 'האם להחזיר <b>148.90 ₪</b>? 🙂';
        const asked = await asking.ask({ ...FREE_TEXT, message });
        await onPhone(asked.link, async (page) => {
          const heading = page.getByRole('heading', { name: message });
          const edge = await heading.evaluate((element) => getComputedStyle(element).direction);
          assert.equal(edge, 'rtl');
          await page.getByRole('textbox', { name: message }).fill('כן\n<script>alert("1")</script> 👍');
          await press(page, 'Send');
          await waitForThanks(page);
        });
        const ended = await asking.ended(asked);
        const data = { text: 'כן\n<script>alert("1")</script> 👍' };
        assert.deepEqual(answersIn(ended), [{ data, order: `of ${asked.phone}` }]);
      });

      test('The pages can be read and used on small and larger phones, light and dark', async () => {
        const approval = await asking.ask({ ...WITH_COMMENT, message: LONG_QUESTION });
        await onPhone(approval.link, (page) => assertUsable(page, 'approval'));
        const text = await asking.ask({ ...FREE_TEXT, message: 'When should the technician come?' });
        await onPhone(text.link, async (page) => {
          await assertUsable(page, 'text');
          await page.getByRole('textbox').fill('Tuesday');
          await press(page, 'Send');
          await waitForThanks(page);
          await assertUsable(page, 'thanks');
        });
      });

      test('A second tap on the button sends nothing, and the person is thanked', async () => {
        const asked = await asking.ask();
        await onPhone(asked.link, async (page) => {
          assert.equal(await pressTwice(page, 'Approve'), 1);
        });
        assert.equal(answersIn(await asking.ended(asked)).length, 1);
      });
    });

    describe('and its link', () => {
      test('What opens the link, such as the preview of a messaging app, answers nothing', async () => {
        const asked = await asking.ask();
        const agents = ['WhatsApp/2.23.20.0', 'facebookexternalhit/1.1', 'TelegramBot (like TwitterBot)', 'curl/8.5.0'];
        for (const agent of agents) {
          assert.equal((await open(asked.link, { headers: { 'user-agent': agent } })).status, 200);
        }
        for (const method of ['HEAD', 'PUT', 'OPTIONS']) await open(asked.link, { method });
        const forms: Array<Record<string, string>> = [
          {},
          { comment: 'yes' },
          { decision: 'maybe' },
          { text: 'approve' },
        ];
        for (const form of forms) {
          const { status, text } = await submit(asked.link, form);
          assert.deepEqual([status, text.includes('<form method="post">')], [400, true]);
        }
        assert.equal(await asking.status(asked), 'waiting');
        await submit(asked.link, DECLINE);
        const ended = await asking.ended(asked);
        assert.deepEqual(answersIn(ended), [{ data: { approved: false }, order: `of ${asked.phone}` }]);
      });

      test('A link that was tampered with neither shows nor answers the question', async () => {
        const asked = await asking.ask();
        const last = asked.link.endsWith('0') ? '1' : '0';
        const tampered = [
          asked.link.slice(0, -1) + last,
          asked.link.replace('q=0', 'q=1'),
          asked.link.replace('q=0&', ''),
          asked.link.replace(/&signature.*/, ''),
          asked.link.replace(/\?.*/, ''),
        ];
        for (const link of tampered) {
          for (const page of [await open(link), await submit(link, APPROVE)]) {
            assert.equal(page.status, 401);
            assert.doesNotMatch(page.text, /Refund/);
          }
        }
        assert.equal((await open(asked.link.replace(/waiting\/\d+/, 'waiting/999999'))).status, 404);
        assert.equal(await asking.status(asked), 'waiting');
      });

      test('Of several answers at the same moment one counts, and after it the link needs none', async () => {
        const asked = await asking.ask();
        const answers = await Promise.all([APPROVE, DECLINE, APPROVE, DECLINE].map((form) => submit(asked.link, form)));
        const ended = await asking.ended(asked);
        assert.equal(ended.status, 'success');
        assert.equal(answersIn(ended).length, 1);
        assert.ok(answers.some(({ status, text }) => status === 200 && text.includes('Thank you.')));
        for (const page of [await open(asked.link), await submit(asked.link, DECLINE)]) {
          assert.equal(page.status, 200);
          assert.match(page.text, NO_ACTION);
        }
        assert.deepEqual(answersIn(await asking.ended(asked)), answersIn(ended));
      });
    });

    describe('more than once in an execution', () => {
      test('In a loop, the link of an earlier question neither shows nor answers a later one', async () => {
        const phone = asking.newPhone();
        const rows = items([1, 2, 3].map((order) => ({ phone, order })));
        const each = {
          name: 'Loop Over Items',
          type: 'n8n-nodes-base.splitInBatches',
          typeVersion: 3,
          parameters: { batchSize: 1 },
        };
        const workflow = chain('Loop', [immediateWebhook(phone), rows, each, sendAndWait(), then()]);
        const to = (...outputs: string[][]) => ({
          main: outputs.map((names) => names.map((node) => ({ node, type: 'main', index: 0 }))),
        });
        Object.assign(workflow.connections as JsonObject, { [each.name]: to([], [SENDER]), [THEN]: to([each.name]) });

        const first = await asking.startWorkflow(phone, workflow);
        await submit(first.link, APPROVE);
        const second = await asking.asked(first.workflow, phone, 2);
        for (const page of [await open(first.link), await submit(first.link, APPROVE)]) {
          assert.equal(page.status, 410);
          assert.match(page.text, /This question is closed/);
          assert.doesNotMatch(page.text, /Refund/);
        }
        await onPhone(first.link, (page) => assertUsable(page, 'closed'));
        assert.match((await open(second.link)).text, /Refund order 2\?/);
        await submit(second.link, DECLINE);
        const third = await asking.asked(first.workflow, phone, 3);
        await submit(third.link, APPROVE);
        assert.deepEqual(answersIn(await asking.ended(first)), [
          { data: { approved: true }, order: 1 },
          { data: { approved: false }, order: 2 },
          { data: { approved: true }, order: 3 },
        ]);
      });

      test('Of two nodes, each has its own answer, and the link of the first answers nothing for the second', async () => {
        const phone = asking.newPhone();
        const again = sendAndWait({ sendTo: phone, message: 'Sure?' }, { name: 'Ask "again" }} \'🙂\' $1' });
        const first = await asking.start(phone, [askedItem(phone), sendAndWait(), again, then()]);
        await submit(first.link, APPROVE);
        const second = await asking.asked(first.workflow, phone, 2);
        for (const page of [await open(first.link), await submit(first.link, APPROVE)]) {
          assert.match(page.text, NO_ACTION);
        }
        assert.match((await open(second.link)).text, /Sure\?/);
        await submit(second.link, DECLINE);
        const ended = await asking.ended(first);
        assert.deepEqual(answersIn(ended), [{ data: { approved: false }, order: `of ${phone}` }]);
        assert.deepEqual(approvals(ended), [true]);
      });
    });

    describe('where it is started otherwise', () => {
      test('In a sub-workflow, the workflow that called it gets the answer', async () => {
        const phone = asking.newPhone();
        const trigger = {
          name: 'Called',
          type: 'n8n-nodes-base.executeWorkflowTrigger',
          typeVersion: 1.1,
          parameters: { inputSource: 'passthrough' },
        };
        const { rest, credential } = instance();
        const called = await rest.importWorkflow(chain('Sub-workflow', [trigger, sendAndWait()]), [credential]);
        await rest.activate(called);
        const call = {
          name: 'Call',
          type: 'n8n-nodes-base.executeWorkflow',
          typeVersion: 1.2,
          parameters: { workflowId: { __rl: true, mode: 'id', value: idOf(called) }, options: {} },
        };
        const calling = await asking.call(
          phone,
          chain('Calls', [immediateWebhook(phone), askedItem(phone), call, then()]),
        );
        const asked = await asking.asked(called, phone);
        await submit(asked.link, APPROVE);
        assert.equal((await asking.ended(asked)).status, 'success');
        const [caller] = await rest.executionsOf(calling);
        const ended = await rest.waitForExecution(caller?.id ?? '');
        assert.deepEqual(answersIn(ended), [{ data: { approved: true }, order: `of ${phone}` }]);
        assert.equal(asking.texts(phone).length, 1);
      });

      test('A run by hand continues with the answer', async () => {
        const { rest, credential } = instance();
        const phone = asking.newPhone();
        const nodes = [start(), askedItem(phone), sendAndWait(), then()];
        const workflow = await rest.importWorkflow(chain('By hand', nodes), [credential]);
        await rest.start(workflow, START);
        const asked = await asking.asked(workflow, phone);
        await submit(asked.link, DECLINE);
        assert.deepEqual(answersIn(await asking.ended(asked)), [{ data: { approved: false }, order: `of ${phone}` }]);
      });
    });
    describe('if its message is not accepted', () => {
      /** Starts a workflow that asks, and waits until its execution has failed. */
      const fail = async (phone: string, fault: Fault, settings: JsonObject = {}) => {
        const { sandbox, rest } = instance();
        sandbox.setFaults([fault]);
        const nodes = [immediateWebhook(phone), askedItem(phone), sendAndWait({}, settings), then()];
        const workflow = await asking.call(phone, chain('Fails', nodes));
        const id = await instance().waitFor('the execution to fail', 30, async () => {
          const listed = await rest.executionsOf(workflow);
          return listed.find(({ status }) => status === 'error')?.id;
        });
        sandbox.setFaults([]);
        return { workflow, id };
      };

      test('Retry On Fail sends a message that was rejected, and waits', async () => {
        const phone = asking.newPhone();
        instance().sandbox.setFaults([{ kind: 'status', status: 403, phones: [phone], times: 1 }]);
        const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
        const asked = await asking.start(phone, [askedItem(phone), sendAndWait({}, settings), then()]);
        await submit(asked.link, APPROVE);
        assert.deepEqual(answersIn(await asking.ended(asked)), [{ data: { approved: true }, order: `of ${phone}` }]);
        assert.equal(asking.texts(phone).length, 1);
      });

      test('Retry sends a message that was rejected, and waits for the answer to that one', async () => {
        const phone = asking.newPhone();
        const { workflow, id } = await fail(phone, { kind: 'status', status: 403, phones: [phone], times: 99 });
        const retried = instance().rest.retry(id);
        const asked = await asking.asked(workflow, phone);
        assert.notEqual(asked.execution, id);
        await submit(asked.link, APPROVE);
        assert.deepEqual(answersIn(await retried), [{ data: { approved: true }, order: `of ${phone}` }]);
        assert.equal(asking.texts(phone).length, 1);
      });

      test('Neither Retry On Fail nor Retry sends a message again that may have been sent', async () => {
        const phone = asking.newPhone();
        const again = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
        const { id } = await fail(phone, { kind: 'reset-after', phones: [phone], times: 99 }, again);
        const retried = await instance().rest.retry(id);
        assert.equal(retried.status, 'error');
        assert.match(retried.errorDescription, ASK_AGAIN);
        const texts = asking.texts(phone);
        assert.equal(texts.length, 1);
        assert.equal((await submit(linkIn(texts[0] ?? ''), APPROVE)).status, 409);
      });

      test('Retry of an execution that was stopped while it waited sends nothing, and continues as after the time limit', async () => {
        const asked = await asking.ask();
        const { rest } = instance();
        await rest.stop(asked.execution);
        assert.equal((await asking.ended(asked)).status, 'canceled');
        assert.equal((await submit(asked.link, APPROVE)).status, 409);
        const retried = await rest.retry(asked.execution);
        assert.deepEqual(answersIn(retried), [{ phone: asked.phone, order: `of ${asked.phone}` }, OTHER_ITEM]);
        assert.equal(asking.texts(asked.phone).length, 1);
      });
    });

    describe('after n8n was killed and started behind a proxy, below a path', () => {
      const session = sessionForTests();
      let removesPath = true;
      let proxy: string;
      let waiting: Asked;
      let expired: Asked;
      let approved: Asked;
      let declined: Asked;
      let reloaded: Asked;
      before(async () => {
        const { sandbox, n8n } = instance();
        waiting = await asking.ask();
        const limitWaitTime = { values: { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' } };
        expired = await asking.ask({ options: { limitWaitTime } });
        sandbox.setFaults([{ kind: 'delay', ms: 600_000, on: 'balance', probability: 1 }]);
        const later = messagingSend({ resource: 'balance', operation: 'get' }, { name: 'Later' });
        const askAndAnswer = async (form: Record<string, string>, parameters: JsonObject = {}): Promise<Asked> => {
          const phone = asking.newPhone();
          const sender = sendAndWait({ ...parameters, sendTo: phone });
          const asked = await asking.start(phone, [askedItem(phone), sender, then(), later]);
          const before = sandbox.requests().length;
          await submit(asked.link, form);
          await instance().waitFor('the later node', 30, () => sandbox.requests().length > before || undefined);
          return asked;
        };
        approved = await askAndAnswer(APPROVE);
        declined = await askAndAnswer(DECLINE);
        reloaded = await askAndAnswer(APPROVE);
        proxy = await startPathProxy(n8n.url, () => removesPath, session);
        await n8n.kill();
        sandbox.setFaults([]);
        await instance().restart({ WEBHOOK_URL: proxy + PATH });
      });

      test('A question that was open can be answered', async () => {
        assert.match((await open(waiting.link)).text, /Refund order/);
        await submit(waiting.link, APPROVE);
        const ended = await asking.ended(waiting);
        assert.deepEqual(answersIn(ended), [{ data: { approved: true }, order: `of ${waiting.phone}` }]);
      });

      test('A question whose time was up passes its input on, and its link answers nothing', async () => {
        const ended = await asking.ended(expired);
        assert.deepEqual(answersIn(ended), [{ phone: expired.phone, order: `of ${expired.phone}` }, OTHER_ITEM]);
        for (const page of [await open(expired.link), await submit(expired.link, APPROVE)]) {
          assert.match(page.text, NO_ACTION);
        }
      });

      for (const [what, given, isApproved] of [
        ['approved', () => approved, true],
        ['declined', () => declined, false],
      ] as const) {
        test(`Retry of what was ${what} before the kill asks nothing again, and continues as ${what}`, async () => {
          const asked = given();
          assert.equal((await asking.ended(asked)).status, 'crashed');
          assert.equal((await submit(asked.link, APPROVE)).status, 409);
          const retried = await instance().rest.retry(asked.execution);
          assert.equal(retried.status, 'success');
          assert.deepEqual(approvals(retried), [isApproved]);
          assert.equal(asking.texts(asked.phone).length, 1);
        });
      }

      test('Retry with the saved workflow, for which n8n forgets the answer, neither asks again nor approves', async () => {
        await asking.ended(reloaded);
        const retried = await instance().rest.retry(reloaded.execution, undefined, true);
        assert.equal(retried.status, 'error');
        assert.match(retried.errorDescription, ASK_AGAIN);
        assert.deepEqual(approvals(retried), []);
        assert.equal(asking.texts(reloaded.phone).length, 1);
      });

      test('n8n refuses a link whose path the proxy removes, and takes it after a restart if it gets the path', async () => {
        const asked = await asking.ask();
        assert.ok(asked.link.startsWith(`${proxy}${PATH}/webhook-waiting/`), asked.link);
        for (const page of [await open(asked.link), await submit(asked.link, APPROVE)]) assert.equal(page.status, 401);

        removesPath = false;
        const environment = { WEBHOOK_URL: proxy, N8N_ENDPOINT_WEBHOOK_WAIT: `${PATH.slice(1)}/webhook-waiting` };
        await instance().restart(environment);
        const later = await asking.ask();
        for (const { link } of [asked, later]) {
          await onPhone(link, async (page) => {
            await press(page, 'Approve');
            await waitForThanks(page);
            assert.equal(page.url(), link);
          });
        }
        assert.deepEqual(approvals(await asking.ended(asked)), [true]);
        assert.deepEqual(approvals(await asking.ended(later)), [true]);
      });
    });
  });
}

/** Whether each answer of the node was an approval. */
function approvals(execution: Execution): unknown[] {
  return execution.outputOf(SENDER).map(({ json: { data } }) => isObject(data) && data.approved);
}
