/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/**
 * `npm run test:kills`: kills real n8n at random moments, while it sends random lists and retries those of earlier
 * kills. Once a Retry has ended, its report is compared with what the sandbox has received.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { Command } from 'commander';

import { wholeNumber } from '../../tools/cli/numbers';
import { runSession } from '../../tools/cli/session';
import { summarize } from '../../tools/cli/summary';
import { type Execution } from '../../tools/n8n/execution';
import {
  callWebhook,
  chain,
  type JsonObject,
  messagingSend,
  SENDER,
  type StoredWorkflow,
  webhook,
} from '../../tools/n8n/workflow';
import { seededRandom } from '../../tools/random';
import { listOf } from '../support/contacts';
import { arrivedFrom, indexes, outcomeOf } from './arrivals';
import { startTestInstance } from './instanceForTests';

const AT_THE_SAME_TIME = 3;
/** The longest wait for the request at which n8n is killed: a Retry makes fewer requests than its list has. */
const LONGEST_MS = 4000;

const { kills, seed } = new Command('npm run test:kills --')
  .description('Kills real n8n at random moments, and checks what Retry does.')
  .option('--kills <count>', 'how often to kill n8n', wholeNumber, 200)
  .option('--seed <number>', 'the seed of an earlier run, for the same lists', wholeNumber, randomInt(2 ** 31))
  .allowExcessArguments(false)
  .parse()
  .opts<{ kills: number; seed: number }>();
const random = seededRandom(seed);
const below = (limit: number) => Math.floor(random() * limit);

function drawList(number: number) {
  const operation = random() < 0.75 ? 'sendBulk' : 'send';
  const messages = 5 + Math.floor(random() ** 2 * (operation === 'send' ? 36 : 596));
  const batchSize = operation === 'send' ? 1 : Math.min(100, Math.ceil(messages / (1 + below(12))));
  const options = {
    parallelRequests: 1 + below(6),
    duplicateMessages: random() < 0.5 ? 'sendOnce' : 'sendOnceEver',
    requestsPerMinute: 10_000,
  };
  return { name: `list-${number}`, operation, messages, batchSize, options, delayMs: below(300) };
}

interface Campaign {
  readonly list: ReturnType<typeof drawList>;
  readonly workflow: StoredWorkflow;
}

void runSession(async (session) => {
  let onRequest = (): void => undefined;
  const instance = await startTestInstance({ sandbox: { onRequest: () => onRequest() } }, session);
  const { sandbox, credential } = instance;
  let lists = 0;
  const total = { sent: 0, uncertain: 0, notLeft: 0, twice: 0 };
  const faults: string[] = [];

  const prepare = async (): Promise<Campaign> => {
    const list = drawList((lists += 1));
    const { name, operation, batchSize, options } = list;
    const sender = {
      resource: 'message',
      operation,
      phone: '={{ $json.phone }}',
      message: '={{ $json.message }}',
      options,
      requestOptions: { batching: { batch: { batchSize, batchInterval: 0 } } },
    };
    const parameters = { fieldToSplitOut: 'body.list' };
    const nodes = [
      webhook(name, 'with the last output'),
      { name: 'Split Out', type: 'n8n-nodes-base.splitOut', typeVersion: 1, parameters },
      // With Stop Workflow, an execution with an uncertain message has no output.
      messagingSend(sender, { onError: 'continueRegularOutput' }),
    ];
    const workflow = await instance.rest.publish(chain(name, nodes), [credential]);
    return { list, workflow };
  };

  /** Runs a new execution. @returns its output */
  const run = async ({ name, messages }: Campaign['list']): Promise<JsonObject[]> => {
    const list = listOf(messages).map(({ phone }, index) => ({ phone, message: `[${name}] ${index}` }));
    const { text } = await callWebhook(instance.n8n.url, name, { list });
    return JSON.parse(text) as JsonObject[];
  };

  /** Runs the first execution or, after a kill, a Retry of the newest one, to its end. */
  const attempt = async ({ list, workflow }: Campaign): Promise<Execution> => {
    const { rest } = instance;
    if ((await rest.executionsOf(workflow)).length === 0) await run(list);
    const [newest] = await rest.executionsOf(workflow);
    const id = newest?.id ?? 'no execution';
    return newest?.canBeRetried === true ? await rest.retry(id) : await rest.waitForExecution(id);
  };

  const kill = async (campaigns: readonly Campaign[]): Promise<void> => {
    const lists = campaigns.map(({ list }) => list);
    const requests = lists.reduce((sum, { messages, batchSize }) => sum + Math.ceil(messages / batchSize), 0);
    // Before the first request and after the last more often than between two others.
    const wanted = Math.max(0, Math.min(requests, Math.floor((random() * 1.4 - 0.2) * requests)));
    const laterMs = below(wanted === 0 ? 800 : 400);
    sandbox.setFaults(lists.map(({ name, delayMs: ms }) => ({ kind: 'delay', ms, text: `[${name}]`, probability: 1 })));
    let requested = 0;
    const haveArrived = new Promise<void>((resolve) => {
      onRequest = () => {
        requested += 1;
        if (requested === wanted) resolve();
      };
    });
    for (const campaign of campaigns) void attempt(campaign).catch(() => undefined);
    if (wanted > 0) await Promise.race([haveArrived, pause(LONGEST_MS)]);
    await pause(laterMs);
    await instance.n8n.kill();
    session.say(`Killed after ${requested} requests: ${lists.map(({ name }) => name).join(', ')}`);
    sandbox.setFaults([]);
    await instance.restart();
    for (const { workflow } of campaigns) {
      const [newest] = await instance.rest.executionsOf(workflow);
      if (newest !== undefined) await instance.rest.waitForExecution(newest.id);
    }
  };

  /** Lets the latest attempt run to its end, and checks what has become of each message. */
  const finish = async (campaign: Campaign): Promise<void> => {
    const { list } = campaign;
    const items = (await attempt(campaign)).outputOf(SENDER);
    const received = arrivedFrom(sandbox, list.name);
    const messages = indexes(list.messages).map((index) => {
      const item = items.find(({ pairedItem }) => pairedItem === index);
      const reported = item === undefined ? 'not reported' : outcomeOf(item.json);
      // Send once remembers killed attempts, too, so a Retry can skip what they have sent or may have sent.
      const outcome = reported.replace(/^(sent_)?before$/, 'sent').replace('may_have_been_sent', 'uncertain');
      return { index, outcome, times: received.filter((each) => each === index).length };
    });
    const uncertain = messages.filter(({ outcome }) => outcome === 'uncertain');
    const wrong = messages
      .filter(({ outcome, times }) => (outcome === 'sent' ? times !== 1 : outcome !== 'uncertain' || times > 1))
      .map(({ index, outcome, times }) => `${index} is ${outcome}, and arrived ${times} times`);
    if (items.length !== list.messages) wrong.push(`${items.length} items`);
    if (list.options.duplicateMessages === 'sendOnceEver') {
      const isSkipped = (await run(list)).every(({ status }) => status === 'skipped');
      const again = arrivedFrom(sandbox, list.name).length - received.length;
      if (!isSkipped || again > 0) wrong.push(`a later execution did not skip all, and sent ${again}`);
    }
    const notLeft = uncertain.filter(({ times }) => times === 0).length;
    session.say(`${list.name}: ${uncertain.length} of ${list.messages} are uncertain, ${notLeft} had not left`);
    total.sent += messages.filter(({ outcome }) => outcome === 'sent').length;
    total.uncertain += uncertain.length;
    total.notLeft += notLeft;
    total.twice += messages.filter(({ times }) => times > 1).length;
    faults.push(...wrong.map((fault) => `${JSON.stringify(list)}: ${fault}`));
    await instance.rest.deactivate(campaign.workflow);
  };

  let open: Campaign[] = [];
  for (let killed = 1; killed <= kills; killed += 1) {
    while (open.length < AT_THE_SAME_TIME) open.push(await prepare());
    await kill(open);
    const again = open.filter(() => killed < kills && random() < 0.4);
    for (const campaign of open) if (!again.includes(campaign)) await finish(campaign);
    open = again;
  }
  const { sent, uncertain, notLeft, twice } = total;
  summarize(
    `${kills} kills with seed ${seed}, in ${lists} lists: ${sent} messages were sent; ${uncertain} are uncertain, ${notLeft} of which had not left; **${twice} were sent twice**.`,
  );
  for (const fault of faults) summarize(`- ${fault}`);
  return faults.length === 0 ? 0 : 1;
});
