/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { execa } from 'execa';
import getPort from 'get-port';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { ExpectedError } from '../../tools/cli/errors';
import { Service } from '../../tools/cli/service';
import { type Session } from '../../tools/cli/session';
import { makeTemporaryFolder } from '../../tools/cli/temporaryFolder';
import { type N8nProcess } from '../../tools/n8n/process';
import { CURRENT, SUPPORTED } from '../../tools/n8n/releases';
import { callWebhook, chain, messagingSend, SENDER, webhook } from '../../tools/n8n/workflow';
import { listExpression } from './arrivals';
import { sessionForTests, startTestInstance } from './instanceForTests';
import { startPostgres } from './postgres';
import { answersIn, Asking, open, submit } from './questions';

// Each process and each folder listens for the end of the command.
process.setMaxListeners(0);

const PER_REQUEST = 100;
const IN_FLIGHT = 16;
/** The first request goes alone, most are in flight after it, and one waits. */
const MESSAGES = (IN_FLIGHT + 2) * PER_REQUEST;

for (const release of SUPPORTED) {
  describe(`n8n ${release} in queue mode, a main with two workers`, () => {
    const session = sessionForTests();
    let instance: InstanceWithSandbox;
    let queueMode: Awaited<ReturnType<typeof startQueueMode>>;
    before(async () => {
      queueMode = await startQueueMode(session);
      const port = await getPort();
      const environment = {
        ...queueMode.environment,
        // Otherwise, a worker writes its own address into links.
        WEBHOOK_URL: `http://localhost:${port}/`,
      };
      instance = await startTestInstance({ release, port, sandbox: { latencyMs: 100 }, environment }, session);
      // An orderly stop would wait for executions that nobody needs any more.
      session.cleanup.add(() => instance.n8n.kill());
      await Promise.all([instance.startWorker(5), instance.startWorker(5)]);
    });

    test('When main, worker and Redis fail at the same time, nothing is sent again automatically, and Retry sends the rest', async () => {
      const { workflow, killed, sent } = await killInTheMiddle(instance);
      await instance.n8n.kill();
      await queueMode.forget();
      await instance.restart();

      // After a restart of the main, its REST interface is another one.
      const crashed = await instance.rest.waitForExecution(killed, 300);
      assert.deepEqual([crashed.status, crashed.runsOf(SENDER)], ['crashed', []]);
      assert.equal((await instance.rest.executionsOf(workflow)).length, 1);
      assert.equal(phonesReached(instance), sent);

      const retried = await instance.rest.retry(killed, 120);
      // Messages are noted in up to 250 groups of neighbors: some have not left, and are uncertain.
      const neighbors = 2 * Math.ceil(MESSAGES / 250);
      assert.ok(phonesReached(instance) >= MESSAGES - neighbors);
      assert.equal(retried.status, 'error');
      assert.match(retried.error, /outcome is unknown$/);
      const progress = /(\d+) sent .*?, (\d+) uncertain \(may have been sent\), /.exec(retried.errorDescription);
      const [known = 0, uncertain = 0] = progress?.slice(1).map(Number) ?? [];
      assert.equal(known + uncertain, MESSAGES);
      assert.ok(uncertain <= IN_FLIGHT * (PER_REQUEST + neighbors), retried.errorDescription);
    });

    // The remaining tests don't depend on the release.
    if (release !== CURRENT) return;

    test('A question that a worker has sent is answered through the main', async () => {
      instance.sandbox.reset();
      const asking = new Asking(() => instance);
      const asked = await asking.ask();
      assert.match((await open(asked.link)).text, /Refund order/);
      assert.match((await submit(asked.link, { decision: 'approve' })).text, /Thank you\./);
      const expected = { data: { approved: true }, order: `of ${asked.phone}` };
      assert.deepEqual(answersIn(await asking.ended(asked)), [expected]);
      const started = instance.workers.flatMap(startedBy).filter((id) => id === asked.execution);
      assert.equal(started.length, 2, 'one worker for the question, and one for what follows the answer');
    });
  });
}

/** Starts a campaign, and kills its worker when some of it is sent, and some in flight. */
async function killInTheMiddle(instance: InstanceWithSandbox) {
  const { sandbox, rest, n8n, credential } = instance;
  const list = { resource: 'message', operation: 'sendBulk', source: 'json', messages: listExpression(MESSAGES) };
  const nodes = [webhook('campaign'), messagingSend(list)];
  const workflow = await rest.publish(chain('Campaign', nodes), [credential]);
  // Messages are sent immediately, and n8n gets the answer late.
  sandbox.setFaults([{ kind: 'delay', ms: 2000, on: 'bulk', probability: 1 }]);
  await callWebhook(n8n.url, 'campaign', {});
  // n8n may answer before it lists the execution.
  const isListed = async () => (await rest.executionsOf(workflow))[0]?.id;
  const killed = await instance.waitFor('the execution to be listed', 30, isListed);
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
  assert.ok(sent > 0 && sent < MESSAGES, `${sent} messages had been sent`);
  sandbox.setFaults([]);
  return { workflow, killed, sent };
}

function startedBy(worker: N8nProcess): string[] {
  return [...worker.log().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => String(id));
}

/** How many phones have got a message; none may have two. */
function phonesReached({ sandbox }: InstanceWithSandbox): number {
  const phones = sandbox.messages().map(({ phone }) => phone);
  assert.equal(new Set(phones).size, phones.length, 'no phone has two messages');
  return phones.length;
}

async function startQueueMode(session: Session) {
  const port = String(await getPort());
  const redis = async (command: string) => {
    const { stdout } = await execa('redis-cli', ['-h', '127.0.0.1', '-p', port, command]);
    if (!['PONG', 'OK'].includes(stdout)) throw new ExpectedError(`Redis answered ${stdout} to ${command}`);
    return stdout;
  };
  const service = new Service({
    name: 'redis',
    file: 'redis-server',
    args: ['--bind', '127.0.0.1', '--port', port, '--save', '', '--appendonly', 'no'],
    folder: await makeTemporaryFolder('redis', session.cleanup),
  });
  session.cleanup.add(() => service.kill());
  await service.started(async () => await redis('PING'), session.signal);
  const environment = {
    EXECUTIONS_MODE: 'queue',
    // A worker reads the credentials that the main has stored.
    N8N_ENCRYPTION_KEY: 'made-up-encryption-key',
    QUEUE_BULL_REDIS_HOST: '127.0.0.1',
    QUEUE_BULL_REDIS_PORT: port,
    ...(await startPostgres(session)),
  };
  /** Makes Redis forget everything, as after a restart. */
  const forget = async () => await redis('FLUSHALL');
  return { environment, forget };
}
