import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { isObject } from '../../tools/json';
import { type N8nProcess } from '../../tools/n8n/process';
import { CURRENT, SUPPORTED } from '../../tools/n8n/releases';
import { startedBy } from '../support/n8n/queueMode';
import { SENDER } from '../support/n8n/workflow';
import { open, submit } from './answers';
import { answersIn, Asking } from './asking';
import { type Campaign, makeCampaign, sentItems } from './campaign';
import { sessionForTests } from './instanceForTests';
import { type QueueInstance, startQueueInstance } from './queueInstance';
import { byPhone } from './recipients';

const LIMIT = 60;
const WINDOW_SECONDS = 60;
const MESSAGES_PER_REQUEST = 100;
const CAMPAIGNS = 10;
/** Executions of one worker. Neither can take all ten campaigns. */
const CONCURRENCY = CAMPAIGNS / 2;
/** For each campaign. With those of all ten, the limit is reached twice, and each worker's own limit once. */
const REQUESTS = 13;

/** n8n's message when a worker is lost; its job is not given to another one. */
const STALLED = /^This execution failed to be processed too many times and will no longer retry/;

for (const release of SUPPORTED) {
  describe(`n8n ${release} in queue mode, a main with two workers`, () => {
    const session = sessionForTests();
    let instance: QueueInstance;
    before(async () => {
      const options = {
        release,
        sandbox: { limit: LIMIT, windowSeconds: WINDOW_SECONDS, latencyMs: 100 },
        environment: {
          // n8n notices a lost worker after some of these together, by default after one to one and a half minutes.
          QUEUE_WORKER_LOCK_DURATION: '12000',
          QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
          QUEUE_WORKER_STALLED_INTERVAL: '3000',
          N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '60',
        },
      };
      instance = await startQueueInstance(options, session);
      await Promise.all([instance.startWorker(CONCURRENCY), instance.startWorker(CONCURRENCY)]);
    });

    /** For what does not depend on the release. */
    const newestOnly = { skip: release !== CURRENT };

    test('A question that a worker has sent is answered through the main', newestOnly, async () => {
      const asking = new Asking(() => instance);
      const asked = await asking.ask();
      assert.match((await open(asked.link)).text, /Refund order/);
      assert.match((await submit(asked.link, { decision: 'approve' })).text, /Thank you\./);
      assert.deepEqual(answersIn(await asking.ended(asked)), [
        { data: { approved: true }, order: `of ${asked.phone}` },
      ]);
      const started = instance.workers.flatMap(startedBy).filter((id) => id === asked.execution);
      assert.equal(started.length, 2, 'one worker for the question, and one for what follows the answer');
      instance.sandbox.reset();
    });

    test(
      'Ten executions that share a key send each message once, and none fails because of the limit',
      newestOnly,
      async () => {
        const campaign = await makeCampaign(instance, REQUESTS * MESSAGES_PER_REQUEST);
        const numbers = Array.from({ length: CAMPAIGNS }, (_slot, index) => index);
        await Promise.all(numbers.map((number) => campaign.start(number)));
        const executions = await campaign.ended(CAMPAIGNS);

        assert.deepEqual(
          executions.map(({ status, error }) => [status, error]),
          Array(CAMPAIGNS).fill(['success', '']),
        );
        const reported = executions.flatMap(sentItems).sort(byPhone);
        const received = instance.sandbox
          .messages()
          .map(({ id, phone }) => ({ id, phone }))
          .sort(byPhone);
        assert.deepEqual(
          reported.map(({ phone }) => phone),
          numbers.flatMap((number) => campaign.phones(number)),
        );
        assert.deepEqual(reported, received);
        const own = executions.map(({ id }) => id);
        const started = instance.workers.map((worker) => startedBy(worker).filter((id) => own.includes(id)).length);
        assert.deepEqual(started, [CONCURRENCY, CONCURRENCY]);
        printFigures(instance);
      },
    );

    test('When a worker is killed, nothing is sent twice, and the other worker continues', newestOnly, async () => {
      const campaign = await makeCampaign(instance, 40 * MESSAGES_PER_REQUEST);
      const { killed, sent } = await killInTheMiddle(instance, campaign);
      const other = await campaign.start(1);
      const [failed, finished] = await campaign.ended(2);
      assert.equal(phonesReached(instance), sent + campaign.phones(1).length);
      assert.deepEqual([failed?.id, failed?.status], [killed, 'error']);
      assert.match(failed?.error ?? '', STALLED);
      assert.deepEqual(failed?.runsOf(SENDER), [], 'n8n knows nothing of what was sent');
      assert.deepEqual(
        [finished?.id, finished?.status, finished && sentItems(finished).length],
        [other, 'success', campaign.phones(1).length],
      );

      // n8n offers Retry for the killed one, and finds nothing to run.
      const retried = await instance.rest.retry(killed);
      assert.equal(retried.status, 'error');
      assert.equal(phonesReached(instance), sent + campaign.phones(1).length);
      console.log(`killed after ${sent} of ${campaign.phones(0).length} messages; n8n reports none of them`);
    });

    test(
      'When a worker is killed, a new execution with Send Once, Across Executions sends only what is missing',
      newestOnly,
      async () => {
        await instance.startWorker(CONCURRENCY);
        const options = { duplicateMessages: 'sendOnceEver' };
        const onError = 'continueRegularOutput';
        const campaign = await makeCampaign(instance, 40 * MESSAGES_PER_REQUEST, options, { onError });
        const { sent } = await killInTheMiddle(instance, campaign);
        await campaign.start(0);
        const [, again] = await campaign.ended(2);
        const items = again?.outputOf(SENDER).map(({ json }) => json) ?? [];
        const before = items.filter((item) => item.sent_before === true).length;
        const now = items.filter((item) => item.status === 'sent').length;
        const reserved = items.filter((item) => isObject(item.details) && item.details.code === 'RESERVED').length;
        assert.equal(before + now + reserved, campaign.phones(0).length);
        // A request that was reserved may not have left yet.
        assert.ok(before > 0 && before <= sent, `${before} of ${sent} are known to be sent`);
        assert.ok(reserved <= 16 * MESSAGES_PER_REQUEST, `${reserved} may have been in flight`);
        assert.equal(phonesReached(instance), sent + now);
      },
    );

    test('When main, worker and Redis fail at the same time, nothing is sent again automatically, and Retry sends the rest', async () => {
      await instance.startWorker(CONCURRENCY);
      const campaign = await makeCampaign(instance, 40 * MESSAGES_PER_REQUEST);
      const { killed, sent } = await killInTheMiddle(instance, campaign);
      await instance.n8n.kill();
      await instance.redis.forget();
      await instance.restart();

      const [crashed] = await campaign.ended(1);
      assert.deepEqual([crashed?.id, crashed?.status, crashed?.runsOf(SENDER)], [killed, 'crashed', []]);
      assert.equal(phonesReached(instance), sent);

      const retried = await instance.rest.retry(killed, 120);
      assert.equal(phonesReached(instance), campaign.phones(0).length);
      assert.equal(retried.status, 'error');
      assert.match(retried.error, /outcome is unknown$/);
    });

    test('A worker that is asked to stop finishes its executions first', newestOnly, async () => {
      const campaign = await makeCampaign(instance, 20 * MESSAGES_PER_REQUEST);
      const { execution, worker } = await startAndWatch(instance, campaign);
      await worker.stop();
      const [finished] = await campaign.ended(1);
      assert.deepEqual([finished?.id, finished?.status], [execution, 'success']);
      assert.equal(phonesReached(instance), campaign.phones(0).length);
    });
  });
}

/** Starts campaign number 0 in an empty sandbox, and kills the worker that sends it. */
async function killInTheMiddle(instance: QueueInstance, campaign: Campaign): Promise<{ killed: string; sent: number }> {
  const { execution, worker } = await startAndWatch(instance, campaign);
  await worker.kill();
  const sent = instance.sandbox.messages().length;
  assert.ok(sent > 0 && sent < campaign.phones(0).length, `${sent} messages had been sent`);
  instance.sandbox.setFaults([]);
  return { killed: execution, sent };
}

/** Starts campaign number 0 in an empty sandbox, and waits until some of it is sent, some is in flight, and some waits. */
async function startAndWatch(
  instance: QueueInstance,
  campaign: Campaign,
): Promise<{ execution: string; worker: N8nProcess }> {
  const { sandbox } = instance;
  sandbox.reset();
  // Messages are sent immediately, and n8n gets the answer late.
  sandbox.setFaults([{ kind: 'delay', ms: 2000, on: 'bulk', probability: 1 }]);
  const execution = await campaign.start(0);
  await instance.waitFor('some answers, and requests in flight', 90, () => {
    const requests = sandbox.requests();
    const answered = requests.filter(({ status }) => status === 201).length;
    return answered > 0 && answered < requests.length ? true : undefined;
  });
  const worker = await instance.waitFor('a worker to have started it', 10, () =>
    instance.workers.find((each) => startedBy(each).includes(execution)),
  );
  return { execution, worker };
}

/** How many phones have a message; none may have two. */
function phonesReached({ sandbox }: QueueInstance): number {
  const phones = sandbox.messages().map(({ phone }) => phone);
  assert.equal(new Set(phones).size, phones.length, 'no phone has two messages');
  return phones.length;
}

/** How often the service refused, and how long all took, from the first request to the last answer. */
function printFigures({ sandbox }: QueueInstance): void {
  const requests = sandbox.requests();
  const starts = requests.map(({ started_at }) => Date.parse(started_at));
  const ends = requests.map(({ started_at, duration_ms }) => Date.parse(started_at) + (duration_ms ?? 0));
  const seconds = (Math.max(...ends) - Math.min(...starts)) / 1000;
  const granted = requests.filter(({ status }) => status === 201).length;
  const refused = requests.filter(({ status }) => status === 429).length;
  const minimum = Math.floor((granted - 1) / LIMIT) * WINDOW_SECONDS;
  console.log(
    `${granted} requests accepted, ${refused} refused with 429; ${seconds.toFixed(1)} s, ${(seconds / minimum).toFixed(2)} times the minimum`,
  );
}
