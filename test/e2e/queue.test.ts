import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, test } from 'node:test';

import getPort from 'get-port';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { type Execution } from '../../tools/n8n/execution';
import { type N8nProcess } from '../../tools/n8n/process';
import { CURRENT, SUPPORTED } from '../../tools/n8n/releases';
import { UNDER_WAY } from '../../tools/n8n/rest';
import { chain, messagingSend, SENDER } from '../../tools/n8n/workflow';
import { type QueueMode, startQueueMode } from '../support/n8n/queueMode';
import { callWebhook, immediateWebhook } from '../support/n8n/triggerNodes';
import { sessionForTests, startTestInstance } from './instanceForTests';
import { answersIn, Asking, open, submit } from './questions';
import { byPhone } from './recipients';

const PER_REQUEST = 100;
/** Most requests that a campaign has in flight. */
const IN_FLIGHT = 16;
/** For a campaign with an incident: the first request goes alone, most are in flight after it, and one waits. */
const REQUESTS = IN_FLIGHT + 2;

const CAMPAIGNS = 10;
/** Executions of one worker. Neither can take all ten campaigns. */
const CONCURRENCY = CAMPAIGNS / 2;
/** For each of the ten. Together they reach the service's limit of 60 a minute twice; no worker does alone. */
const REQUESTS_OF_TEN = 8;
const LIMIT = 36;
const WINDOW_SECONDS = 20;

for (const release of SUPPORTED) {
  describe(`n8n ${release} in queue mode, a main with two workers`, () => {
    const session = sessionForTests();
    let instance: InstanceWithSandbox;
    let queueMode: QueueMode;
    before(async () => {
      queueMode = await startQueueMode(session);
      const port = await getPort();
      const environment = {
        ...queueMode.environment,
        // Otherwise, a worker writes its own address into links.
        WEBHOOK_URL: `http://localhost:${port}/`,
      };
      const sandbox = { limit: LIMIT, windowSeconds: WINDOW_SECONDS, latencyMs: 100 };
      instance = await startTestInstance({ release, port, sandbox, environment }, session);
      // An orderly stop would wait for executions that nobody needs any more.
      session.cleanup.add(() => instance.n8n.kill());
      await Promise.all([instance.startWorker(CONCURRENCY), instance.startWorker(CONCURRENCY)]);
    });

    test('When main, worker and Redis fail at the same time, nothing is sent again automatically, and Retry sends the rest', async () => {
      const campaign = await makeCampaign(instance, REQUESTS);
      const { killed, sent } = await killInTheMiddle(instance, campaign);
      await instance.n8n.kill();
      await queueMode.forget();
      await instance.restart();

      const [crashed] = await campaign.ended(1);
      assert.deepEqual([crashed?.id, crashed?.status, crashed?.runsOf(SENDER)], [killed, 'crashed', []]);
      assert.equal(phonesReached(instance), sent);

      const retried = await instance.rest.retry(killed, 120);
      const all = campaign.phones(0).length;
      // Messages are noted in up to 250 groups of neighbors: some have not left, and are uncertain.
      const neighbors = 2 * Math.ceil(all / 250);
      assert.ok(phonesReached(instance) >= all - neighbors, `${phonesReached(instance)} of ${all} messages were sent`);
      assert.equal(retried.status, 'error');
      assert.match(retried.error, /outcome is unknown$/);
      const progress = /(\d+) sent .*?, (\d+) uncertain \(may have been sent\), /.exec(retried.errorDescription);
      const [known = 0, uncertain = 0] = progress?.slice(1).map(Number) ?? [];
      assert.equal(known + uncertain, all);
      assert.ok(uncertain <= IN_FLIGHT * (PER_REQUEST + neighbors), retried.errorDescription);
    });

    // The remaining tests don't depend on the release.
    if (release !== CURRENT) return;

    test('A question that a worker has sent is answered through the main', async () => {
      const asking = new Asking(() => instance);
      const asked = await asking.ask();
      assert.match((await open(asked.link)).text, /Refund order/);
      assert.match((await submit(asked.link, { decision: 'approve' })).text, /Thank you\./);
      assert.deepEqual(answersIn(await asking.ended(asked)), [
        { data: { approved: true }, order: `of ${asked.phone}` },
      ]);
      const started = instance.workers.flatMap(startedBy).filter((id) => id === asked.execution);
      assert.equal(started.length, 2, 'one worker for the question, and one for what follows the answer');
    });

    test('Ten executions that share a key send each message once, and none fails because of the limit', async () => {
      await instance.startWorker(CONCURRENCY);
      instance.sandbox.reset();
      const campaign = await makeCampaign(instance, REQUESTS_OF_TEN);
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
      assert.deepEqual(
        started.filter((count) => count > 0),
        [CONCURRENCY, CONCURRENCY],
      );
      const refused = instance.sandbox.requests().filter(({ status }) => status === 429).length;
      assert.ok(refused > 0, 'the service has refused some requests');
    });
  });
}

/** A workflow started by a webhook, with different messages for each number that a call brings. */
interface Campaign {
  /** Starts it; returns the execution's id. */
  start(number: number): Promise<string>;
  /** Waits until this many executions have ended; returns them, the oldest first. */
  ended(count: number): Promise<Execution[]>;
  /** The phones that the messages of this number go to. */
  phones(number: number): string[];
}

/** @param requests  how many each call makes */
async function makeCampaign(instance: InstanceWithSandbox, requests: number): Promise<Campaign> {
  const { rest } = instance;
  const path = randomUUID();
  const messages = requests * PER_REQUEST;
  const list = `={{ Array.from({ length: ${messages} }, (_, index) => ({
    phone: '+4477' + $json.body.number + String(index).padStart(6, '0'),
    message: 'Hello ' + index,
  })) }}`;
  const parameters = { resource: 'message', operation: 'sendBulk', source: 'json', messages: list };
  const nodes = [immediateWebhook(path), messagingSend(parameters)];
  const workflow = await rest.importWorkflow(chain('Campaign', nodes), [instance.credential]);
  await rest.activate(workflow);
  // After a restart of the main, its REST interface is another one.
  const listed = async () => (await instance.rest.executionsOf(workflow)).toReversed();
  return {
    start: async (number) => {
      const earlier = (await listed()).map(({ id }) => id);
      const { status, text } = await callWebhook(instance.n8n.url, path, { number });
      assert.equal(status, 200, text);
      // n8n may answer before it lists the execution.
      return await instance.waitFor(
        'the execution to be listed',
        30,
        async () => (await listed()).find(({ id }) => !earlier.includes(id))?.id,
      );
    },
    ended: async (count) => {
      const ids = await instance.waitFor(`${count} executions to end`, 300, async () => {
        const ended = (await listed()).filter(({ status }) => !UNDER_WAY.includes(status));
        return ended.length === count ? ended.map(({ id }) => id) : undefined;
      });
      return await Promise.all(ids.map((id) => instance.rest.waitForExecution(id)));
    },
    phones: (number) =>
      Array.from({ length: messages }, (_slot, index) => `4477${number}${String(index).padStart(6, '0')}`),
  };
}

/** The messages that an execution reports as sent. */
function sentItems(execution: Execution): Array<{ id: unknown; phone: unknown }> {
  return execution.outputOf(SENDER).map(({ json }) => ({ id: json.message_id, phone: json.phone }));
}

/** Starts campaign number 0 in an empty sandbox, and kills its worker when some of it is sent, and some in flight. */
async function killInTheMiddle(
  instance: InstanceWithSandbox,
  campaign: Campaign,
): Promise<{ killed: string; sent: number }> {
  const { sandbox } = instance;
  sandbox.reset();
  // Messages are sent immediately, and n8n gets the answer late.
  sandbox.setFaults([{ kind: 'delay', ms: 2000, on: 'bulk', probability: 1 }]);
  const killed = await campaign.start(0);
  await instance.waitFor('some answers, and requests in flight', 90, () => {
    const requests = sandbox.requests();
    const answered = requests.filter(({ status }) => status === 201).length;
    return answered > 0 && answered < requests.length ? true : undefined;
  });
  const worker = await instance.waitFor('a worker to have started it', 10, () =>
    instance.workers.find((each) => startedBy(each).includes(killed)),
  );
  await worker.kill();
  const sent = sandbox.messages().length;
  assert.ok(sent > 0 && sent < campaign.phones(0).length, `${sent} messages had been sent`);
  sandbox.setFaults([]);
  return { killed, sent };
}

/** The IDs of the executions that a worker has started, from its log. */
function startedBy(worker: N8nProcess): string[] {
  return [...worker.log().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => String(id));
}

/** How many phones have got a message; none may have two. */
function phonesReached({ sandbox }: InstanceWithSandbox): number {
  const phones = sandbox.messages().map(({ phone }) => phone);
  assert.equal(new Set(phones).size, phones.length, 'no phone has two messages');
  return phones.length;
}
