import { type Fault } from '../../sandbox/server';
import { asArray, type JsonObject } from '../../tools/json';
import { seededRandom } from '../../tools/random';
import { loopOverItems } from '../e2e/loop';
import { phoneAt } from '../support/contacts';
import { immediateWebhook } from '../support/n8n/triggerNodes';
import { chain, messagingSend, type WorkflowNode } from '../support/n8n/workflow';
import { textOf } from './traffic';

const OPERATIONS = ['send', 'sendBulk'] as const;
const ON_ERROR = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

/** When n8n is killed in an execution. */
export interface Kill {
  /** Once this part of the messages that have not arrived yet has arrived, from 0 to 1; else by the time alone. */
  readonly progress: number | null;
  /** So long after that, or after the start of the execution. */
  readonly milliseconds: number;
  /** Whether n8n's event log is lost as well. */
  readonly losesEventLog: boolean;
}

/** A random workflow that sends messages, and what happens to it. */
export interface Campaign {
  readonly operation: (typeof OPERATIONS)[number];
  readonly source: 'items' | 'json';
  /** The phone number of each message. */
  readonly phones: readonly string[];
  /** What one run of the node gets: for each of its items the indexes of its messages. */
  readonly rounds: ReadonlyArray<ReadonlyArray<readonly number[]>>;
  readonly inLoop: boolean;
  readonly savesProgress: boolean;
  readonly onError: (typeof ON_ERROR)[number];
  readonly retryOnFail: boolean;
  readonly parallelRequests: number;
  /** Whether a re-run makes other texts: they contain the time and the execution. */
  readonly changingTexts: boolean;
  readonly faults: readonly Fault[];
  /** So long the service takes to answer, in ms. */
  readonly delay: number;
  readonly kills: readonly Kill[];
  /** Whether the first execution is retried once more when everything is done. */
  readonly retriesFirst: boolean;
}

/** The largest number of messages in one request. */
export function batchSizeOf({ operation }: Campaign): number {
  return operation === 'send' ? 1 : 100;
}

/** @returns the same campaign for the same seed */
export function randomCampaign(seed: number): Campaign {
  const random = seededRandom(seed);
  const whole = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  const chance = (probability: number) => random() < probability;
  const oneOf = <Value>(values: readonly [Value, ...Value[]]): Value =>
    values[whole(0, values.length - 1)] ?? values[0];

  const operation = oneOf(OPERATIONS);
  const source = operation === 'sendBulk' && chance(0.4) ? 'json' : 'items';
  const parallelRequests = whole(1, 16);
  // One request for each message takes its time.
  const count = whole(300, operation === 'send' ? Math.min(4000, 300 + 200 * parallelRequests) : 4000);
  const distinct = Math.ceil(count / oneOf([1, 1, 1, 2, 3]));
  const inLoop = chance(0.5);
  const messages = Array.from({ length: count }, (_slot, index) => index);
  const items = source === 'items' ? messages.map((index) => [index]) : chunks(messages, whole(150, 900));
  const rounds = inLoop ? chunks(items, source === 'items' ? Math.ceil(count / whole(3, 8)) : 1) : [items];
  const requests = operation === 'send' ? count : Math.ceil(count / 100);
  return {
    operation,
    source,
    phones: messages.map((index) => phoneAt(index % distinct)),
    rounds,
    inLoop,
    savesProgress: chance(0.5),
    onError: oneOf(ON_ERROR),
    retryOnFail: chance(0.15),
    parallelRequests,
    changingTexts: chance(0.3),
    faults: chance(0.5) ? [] : Array.from({ length: whole(1, 3) }, () => randomFault(count, requests, whole, oneOf)),
    delay: Math.min(1000, Math.round((whole(1500, 4000) * parallelRequests) / requests)),
    kills: Array.from({ length: oneOf([1, 1, 2, 3]) }, () => ({
      progress: chance(0.8) ? random() : null,
      // Some kills come soon after a request, some when it is answered, some long after.
      milliseconds: whole(0, oneOf([60, 1200, 3000])),
      losesEventLog: chance(0.3),
    })),
    retriesFirst: chance(0.3),
  };
}

function randomFault(
  messages: number,
  requests: number,
  whole: (min: number, max: number) => number,
  oneOf: <Value>(values: readonly [Value, ...Value[]]) => Value,
): Fault {
  const when = { after: whole(0, Math.ceil(0.6 * requests)), times: whole(1, 2) };
  return oneOf<Fault>([
    { kind: 'status', status: 503, ...when },
    { kind: 'status', status: 500, handled: true, ...when },
    { kind: 'html', status: 502, ...when },
    { kind: 'reset-after', ...when },
    { kind: 'reset-during', ...when },
    { kind: 'half-body', ...when },
    { kind: 'status', status: 403, ...when },
    { kind: 'status', status: 429, retryAfter: 1, ...when },
    { kind: 'status', status: 422, detailsShape: 'none', ...when },
    { kind: 'status', status: 422, probability: 1, phones: [phoneAt(whole(0, messages - 1))] },
    { kind: 'bulk-answer', shape: 'missing', ...when },
    { kind: 'unsent', ...when },
  ]);
}

/** The faults of the sandbox, with the time that it takes for every answer without another one. */
export function faultsOf({ faults, delay, operation }: Campaign): Fault[] {
  const endpoint = operation === 'send' ? 'send' : 'bulk';
  const hitting = faults.map((fault) => ({ ...fault, on: endpoint }) as Fault);
  const possible = hitting.filter(({ kind }) => kind !== 'bulk-answer' || endpoint === 'bulk');
  return [...possible, { kind: 'delay', ms: delay, on: endpoint, probability: 1 }];
}

/** What the webhook of {@link workflowOf} gets: the items of all rounds. */
export function bodyOf({ rounds, source, phones }: Campaign): JsonObject {
  const listed = (index: number) => ({ phone: phones[index], message: textOf(index) });
  const items = rounds.flat().map((indexes) => {
    const messages = indexes.map(listed);
    return source === 'json' ? { messages } : messages[0];
  });
  return { items };
}

/** The campaign as a workflow: a webhook, its items one by one, with or without a loop, and the node. */
export function workflowOf(campaign: Campaign, path: string): JsonObject {
  const { inLoop, onError, rounds, savesProgress } = campaign;
  const splitOut = {
    name: 'Split Out',
    type: 'n8n-nodes-base.splitOut',
    typeVersion: 1,
    parameters: { fieldToSplitOut: 'body.items', options: {} },
  };
  const sender = senderOf(campaign);
  const outputs = onError === 'continueErrorOutput' ? 2 : 1;
  const workflow = inLoop
    ? loopOverItems(path, [immediateWebhook(path), splitOut], rounds[0]?.length ?? 1, [sender], outputs)
    : chain(path, [immediateWebhook(path), splitOut, sender]);
  return { ...workflow, settings: { executionOrder: 'v1', saveExecutionProgress: savesProgress } };
}

function senderOf({
  operation,
  source,
  onError,
  retryOnFail,
  parallelRequests,
  changingTexts,
}: Campaign): WorkflowNode {
  const changing = changingTexts ? ' {{ $now }} {{ $execution.id }}' : '';
  const list = changingTexts
    ? "={{ $json.messages.map((each) => ({ ...each, message: each.message + ' ' + $now + ' ' + $execution.id })) }}"
    : '={{ $json.messages }}';
  const parameters = {
    resource: 'message',
    operation,
    ...(operation === 'sendBulk' && { source }),
    ...(source === 'json'
      ? { messages: list }
      : { phone: '={{ $json.phone }}', message: `={{ $json.message }}${changing}` }),
    options: { parallelRequests, requestsPerMinute: 1_000_000 },
  };
  return messagingSend(parameters, {
    onError,
    ...(retryOnFail && { retryOnFail, maxTries: 2, waitBetweenTries: 100 }),
  });
}

function chunks<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_slot, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

/** The campaign in one line. */
export function describe({ operation, source, phones, rounds, kills, ...rest }: Campaign): string {
  const loop = rest.inLoop ? `loop of ${rounds.length}` : 'no loop';
  const faults = asArray(rest.faults, 'faults').map((fault) => JSON.stringify(fault));
  return [
    `${operation === 'send' ? 'Send' : 'Send Bulk'} from ${source}`,
    `${phones.length} messages to ${new Set(phones).size} numbers`,
    rest.savesProgress ? `${loop} with saved progress` : loop,
    `${rest.onError}${rest.retryOnFail ? ' with Retry On Fail' : ''}`,
    `${rest.parallelRequests} parallel, ${rest.delay} ms each`,
    ...(rest.changingTexts ? ['changing texts'] : []),
    ...faults,
    `${kills.length} kills`,
  ].join(', ');
}
