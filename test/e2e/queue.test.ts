import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { N8nProcess } from '../../demo/n8n';
import { SUPPORTED } from '../../demo/releases';
import { byPhone, type Campaign, makeCampaign, sentItems } from './campaign';
import { begunBy, QueueStage } from './queueStage';
import { stopped } from './stage';
import { SENDER } from './workflow';

const LIMIT = 60;
const WINDOW_SECONDS = 60;
const MESSAGES_PER_REQUEST = 100;
const CAMPAIGNS = 10;
/** For each campaign. With those of all ten, the limit is reached twice, and each worker's own limit once. */
const REQUESTS = 13;

/** How n8n says that a worker did not come back; the job is not given to another one. */
const STALLED = /^This execution failed to be processed too many times and will no longer retry/;

for (const release of SUPPORTED) {
  describe(`n8n ${release}, a main with two workers`, () => {
    let stage: QueueStage;
    before(async () => {
      stage = await QueueStage.start({
        release,
        sandbox: { limit: LIMIT, windowSeconds: WINDOW_SECONDS, latencyMs: 100 },
        // Five and five: neither worker can take all ten campaigns.
        concurrency: CAMPAIGNS / 2,
        environment: {
          // That a worker is gone is noticed after some of these together, normally after one to one and a half minutes.
          QUEUE_WORKER_LOCK_DURATION: '12000',
          QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
          QUEUE_WORKER_STALLED_INTERVAL: '3000',
          N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '60',
        },
      });
      await Promise.all([stage.startWorker(), stage.startWorker()]);
    });
    after(async () => await stage?.close());

    test('ten executions share a key: all is sent, each message once, and none fails for the limit', async () => {
      const campaign = await makeCampaign(stage, REQUESTS * MESSAGES_PER_REQUEST);
      const numbers = Array.from({ length: CAMPAIGNS }, (_slot, index) => index);
      await Promise.all(numbers.map(async (number) => await campaign.begin(number)));
      const executions = await campaign.ended(CAMPAIGNS);

      assert.deepEqual(
        executions.map(({ status, error }) => [status, error]),
        Array(CAMPAIGNS).fill(['success', '']),
      );
      const told = executions.flatMap(sentItems).sort(byPhone);
      const received = stage.sandbox
        .messages()
        .map(({ id, phone }) => ({ id, phone }))
        .sort(byPhone);
      assert.deepEqual(
        told.map(({ phone }) => phone),
        numbers.flatMap((number) => campaign.phones(number)),
      );
      assert.deepEqual(told, received);
      const begun = stage.workers.map((worker) => begunBy(worker).length);
      assert.deepEqual(begun, [CAMPAIGNS / 2, CAMPAIGNS / 2]);
      tellFigures(stage);
    });

    test('a worker is killed: nothing goes out twice, and the other one goes on', async () => {
      const campaign = await makeCampaign(stage, 40 * MESSAGES_PER_REQUEST);
      const { killed, sent } = await killInTheMiddle(stage, campaign);
      const other = await campaign.begin(1);
      const [failed, finished] = await campaign.ended(2);
      assert.equal(phonesReached(stage), sent + campaign.phones(1).length);
      assert.deepEqual([failed?.id, failed?.status], [killed, 'error']);
      assert.match(failed?.error ?? '', STALLED);
      assert.deepEqual(failed?.runsOf(SENDER), [], 'n8n knows nothing of what went out');
      assert.deepEqual(
        [finished?.id, finished?.status, finished && sentItems(finished).length],
        [other, 'success', campaign.phones(1).length],
      );

      // The killed one is offered for a retry, which finds nothing to run.
      const retried = await stage.rest.waitForExecution(await stage.rest.retry(killed), {
        seconds: 60,
        signal: stopped.signal,
      });
      assert.equal(retried.status, 'error');
      assert.equal(phonesReached(stage), sent + campaign.phones(1).length);
      console.log(`killed after ${sent} of ${campaign.phones(0).length} messages; n8n tells of none of them`);
    });

    test('main, worker and Redis go down at once: nothing goes out again by itself', async () => {
      await stage.startWorker();
      const campaign = await makeCampaign(stage, 40 * MESSAGES_PER_REQUEST);
      const { killed, sent } = await killInTheMiddle(stage, campaign);
      await stage.main.kill();
      await stage.redis.forget();
      await stage.restartMain();

      const [crashed] = await campaign.ended(1);
      assert.deepEqual([crashed?.id, crashed?.status, crashed?.runsOf(SENDER)], [killed, 'crashed', []]);
      assert.equal(phonesReached(stage), sent);

      // For n8n the node has never run, so the node can't know either: docs/hosting.md warns of it.
      const retried = await stage.rest.waitForExecution(await stage.rest.retry(killed), {
        seconds: 120,
        signal: stopped.signal,
      });
      assert.equal(retried.status, 'success');
      assert.equal(stage.sandbox.messages().length, sent + campaign.phones(0).length);
    });

    test('a worker that is told to stop ends its executions first', async () => {
      const campaign = await makeCampaign(stage, 20 * MESSAGES_PER_REQUEST);
      const { execution, worker } = await beginInSight(stage, campaign);
      await worker.stop();
      const [finished] = await campaign.ended(1);
      assert.deepEqual([finished?.id, finished?.status], [execution, 'success']);
      assert.equal(phonesReached(stage), campaign.phones(0).length);
    });
  });
}

/** Starts campaign number 0 in an empty sandbox, and kills the worker that sends it. */
async function killInTheMiddle(stage: QueueStage, campaign: Campaign): Promise<{ killed: string; sent: number }> {
  const { execution, worker } = await beginInSight(stage, campaign);
  await worker.kill();
  const sent = stage.sandbox.messages().length;
  assert.ok(sent > 0 && sent < campaign.phones(0).length, `${sent} messages had gone out`);
  stage.sandbox.setFaults([]);
  return { killed: execution, sent };
}

/** Starts campaign number 0 in an empty sandbox, and waits until some of it is sent, some is on its way, and some waits. */
async function beginInSight(stage: QueueStage, campaign: Campaign): Promise<{ execution: string; worker: N8nProcess }> {
  const { sandbox } = stage;
  sandbox.reset();
  // Messages go out at once, and n8n is told of it late.
  sandbox.setFaults([{ kind: 'delay', ms: 2000, on: 'bulk', probability: 1 }]);
  const execution = await campaign.begin(0);
  await stage.waitFor('some answers, and requests under way', 90, async () => {
    const requests = sandbox.requests();
    const answered = requests.filter(({ status }) => status === 201).length;
    return answered > 0 && answered < requests.length ? true : undefined;
  });
  const worker = await stage.waitFor('a worker to have begun it', 10, async () =>
    stage.workers.find((each) => begunBy(each).includes(execution)),
  );
  return { execution, worker };
}

/** How many phones have a message; none may have two. */
function phonesReached({ sandbox }: QueueStage): number {
  const phones = sandbox.messages().map(({ phone }) => phone);
  assert.equal(new Set(phones).size, phones.length, 'no phone has two messages');
  return phones.length;
}

/** How often the service refused, and how long all took, from the first request to the last answer. */
function tellFigures({ sandbox }: QueueStage): void {
  const requests = sandbox.requests();
  const starts = requests.map(({ started_at }) => Date.parse(started_at));
  const ends = requests.map(({ started_at, duration_ms }) => Date.parse(started_at) + (duration_ms ?? 0));
  const seconds = (Math.max(...ends) - Math.min(...starts)) / 1000;
  const granted = requests.filter(({ status }) => status === 201).length;
  const refused = requests.filter(({ status }) => status === 429).length;
  const least = Math.floor((granted - 1) / LIMIT) * WINDOW_SECONDS;
  console.log(
    `${granted} requests taken, ${refused} refused with 429; ${seconds.toFixed(1)} s, ${(seconds / least).toFixed(2)} times the least possible`,
  );
}
