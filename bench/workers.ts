import { setTimeout as until } from 'node:timers/promises';

import { finishedBy, startedBy, startQueueMode } from '../test/support/n8n/queueMode';
import { webhook } from '../test/support/n8n/triggerNodes';
import { chain, messagingSend, SENDER } from '../test/support/n8n/workflow';
import { makeTemporaryFolder } from '../tools/cli/temporaryFolder';
import { asObject, isObject, type JsonObject } from '../tools/json';
import { packPackage } from '../tools/n8n/package';
import { publish } from './campaigns';
import { atMost, type Measurements, type Series } from './measurements';
import type { Options } from './options';
import { type RealN8n, startRealN8n, withSession } from './realN8n';
import { withSandbox } from './sandbox';

const ORDERS = 500;
/** The second call of an order follows the first after 0 ms, 1 ms and so on up to this, in turn. */
const MAX_DELAY = 10;
const WARM_UP = 10;
/** n8n lists the 100 newest executions. */
const AT_A_TIME = 50;
/** A worker that has an execution takes no other, so that the two of an order run on both. */
const CONCURRENCY = 1;

const PATH = 'order';

/** The order of one execution, and what happened to its message. */
interface Ended {
  readonly id: string;
  readonly order: string;
  readonly outcome: string;
}

/** How often two workers of queue mode send the same message, with Send Once, Also in Later Runs. */
export async function workers({ log }: Options): Promise<Measurements> {
  return await withSession(log, async (session) => {
    const tarball = await packPackage(await makeTemporaryFolder('packed', session.cleanup), session.signal);
    return await withSandbox({}, async (sandbox) => {
      log('Starting n8n: a main and two workers');
      const { environment } = await startQueueMode(session);
      const n8n = await startRealN8n({ name: 'n8n in queue mode', tarball }, sandbox, environment, session);
      const { instance } = n8n;
      await Promise.all([instance.startWorker(CONCURRENCY), instance.startWorker(CONCURRENCY)]);
      const workflow = await publish(n8n, oncePerOrder());

      await callTwice(n8n, 0, WARM_UP, session.signal);
      await sandbox.reset();
      const ended: Ended[] = [];
      for (let first = WARM_UP; first < WARM_UP + ORDERS; first += AT_A_TIME) {
        await callTwice(n8n, first, AT_A_TIME, session.signal);
        ended.push(...(await newest(n8n, workflow, 2 * AT_A_TIME)));
        const { messages, phones } = await sandbox.received();
        log(`${phones} of ${ORDERS} orders, ${messages} messages`);
      }
      const { messages, phones } = await sandbox.received();
      const lost = ORDERS - phones;
      const [one] = instance.workers.map((worker) => new Set(startedBy(worker)));
      const ordersOf = (isOne: boolean) =>
        new Set(ended.filter(({ id }) => one?.has(id) === isOne).map(({ order }) => order));
      const onOther = ordersOf(false);
      const onBoth = [...ordersOf(true)].filter((order) => onOther.has(order));
      const countOf = (outcome: string) => ended.filter((each) => each.outcome === outcome).length;
      return {
        series: [
          count('both executions on different workers', 'orders', onBoth.length),
          // Each has two executions, so that no message can arrive three times.
          count('message sent twice', 'orders', messages - phones),
          count('message never sent', 'orders', lost),
          ...['sent', 'skipped', 'uncertain', 'not_sent'].map((each) => count(each, 'executions', countOf(each))),
        ],
        goals: [atMost('orders without a message', lost, 0)],
      };
    });
  });
}

/** Sends a message to the `phone` of a call, unless one with the same `order` was sent. */
function oncePerOrder(): JsonObject {
  const options = {
    duplicateMessages: 'sendOnceEver',
    messageKey: '={{ $json.body.order }}',
    requestsPerMinute: 1_000_000,
  };
  const fields = { phone: '={{ $json.body.phone }}', message: '=Order {{ $json.body.order }}', options };
  const send = messagingSend(
    { resource: 'message', operation: 'send', ...fields },
    { onError: 'continueRegularOutput' },
  );
  const immediately = { ...webhook(PATH), parameters: { httpMethod: 'POST', path: PATH, responseMode: 'onReceived' } };
  return chain('Once per order', [immediately, send]);
}

/** For orders of these numbers, one after the other; resolves when their executions have ended. */
async function callTwice({ instance }: RealN8n, first: number, orders: number, signal: AbortSignal): Promise<void> {
  const finished = () => instance.workers.flatMap(finishedBy).length;
  for (let number = first; number < first + orders; number += 1) {
    const before = finished();
    const body = { order: `order ${number}`, phone: `4477009${String(number).padStart(5, '0')}` };
    const call = async (delay: number) => {
      await until(delay, undefined, { signal });
      const answer = await fetch(`${instance.n8n.url}/webhook/${PATH}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`n8n answered a call with ${answer.status}: ${await answer.text()}`);
    };
    await Promise.all([call(0), call(number % (MAX_DELAY + 1))]);
    await instance.waitFor('both executions to end', 60, () => (finished() >= before + 2 ? true : undefined));
  }
}

async function newest({ instance: { rest } }: RealN8n, workflow: JsonObject, count: number): Promise<Ended[]> {
  const listed = (await rest.executionsOf(workflow)).slice(0, count);
  const ended: Ended[] = [];
  for (const { id } of listed) {
    const execution = await rest.waitForExecution(id);
    const [called] = execution.outputOf('Webhook');
    const [sent] = execution.outputOf(SENDER);
    if (called === undefined || sent === undefined) throw new Error(`execution ${id} failed: ${execution.error}`);
    const { order } = asObject(called.json.body, 'body');
    const { details, status } = sent.json;
    ended.push({ id, order: String(order), outcome: String(isObject(details) ? details.outcome : status) });
  }
  return ended;
}

function count(what: string, unit: string, value: number): Series {
  return { case: what, contender: 'Send Once, Also in Later Runs', unit, rounds: [value] };
}
