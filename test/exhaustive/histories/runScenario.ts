import { deepStrictEqual, ok } from 'node:assert/strict';

import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox/server';
import { KEY } from '../../support/account';
import { type Execution, retryExecution, runWorkflow, type Setup } from '../../support/engine/workflow';
import { WITHOUT_WAITING } from '../../support/parameters';
import { accountOf } from '../../support/sandbox';
import {
  checkArrivals,
  checkIds,
  checkKeptNothing,
  checkNoSecret,
  checkNothingLost,
  checkOrder,
  checkOthersSent,
  checkRisk,
  checkSentOnce,
  requestedAtMost,
} from './checks';
import { outageFault } from './faults';
import { type List, TIME, withoutTime } from './lists';
import { messagesOf } from './messages';
import { readOutputs, readRecord } from './reported';
import { NO_FAULTS, type Round, type Scenario } from './scenario';

/** The sandbox's keys: as many as a scenario has accounts, at most. */
export const KEYS = [KEY, 'made-up-key-9876543210'];

/**
 * Runs a scenario in n8n's engine with the sandbox, and checks the node's promises after the first run and each retry.
 * If the last of them fails, the service recovers, and the user retries once more with On Error set to Continue, so that
 * there is an item for every message.
 * @throws the first promise that is not kept
 */
export async function runScenario(scenario: Scenario, sandbox: Sandbox): Promise<void> {
  sandbox.reset();
  const { rounds } = scenario;
  const lists = [...new Set(rounds.map(({ list }) => list))];
  const most = new Map<string, number>();
  let execution: Execution | null = null;

  const attempt = async (given: Scenario, round: Round, isChanged: boolean) => {
    const { list, faults, outage, refusedText, credits } = round;
    sandbox.setFaults(outage === null ? faults : [outageFault(outage, given.operation === 'send' ? 'send' : 'bulk')]);
    sandbox.setCredits(credits);
    const before = { messages: sandbox.messages().length, requests: sandbox.requests().length };
    const messages = messagesOf(given, list);
    for (const [key, count] of requestedAtMost(given, messages)) most.set(key, Math.max(count, most.get(key) ?? 0));

    const setup = setupOf(given, list, lists, sandbox);
    execution =
      execution === null
        ? await runWorkflow(setup)
        : await retryExecution(execution, setup, isChanged ? setup : undefined);
    const isStopped = execution.error !== undefined;
    const arrived = sandbox.messages().map((sent) => ({ ...sent, message: withoutTime(sent.message) }));

    checkNoSecret(given, execution);
    checkSentOnce(given, arrived, most);
    if (outage !== null) checkRisk(given, outage, sandbox.requests().slice(before.requests));
    if (given.maxTries === null && given.options.uncertain === 'report') {
      checkOrder(messages, arrived.slice(before.messages));
    }
    if (!isStopped) checkIds(given, messages, execution, arrived);
    // The record of a stopped run has the places of messages in the list that they were sent from.
    if (isStopped && list !== lists[0]) return null;
    const report = isStopped ? readRecord(messages, execution) : readOutputs(given, messages, execution);
    checkArrivals(given, report, arrived, most);
    if (isStopped) return null;
    if (given.options.dryRun) deepStrictEqual(arrived, []);
    if (refusedText !== null) checkOthersSent(report, refusedText);
    checkKeptNothing(report, execution);
    return report;
  };

  let earlier: List | null = null;
  for (const round of rounds) {
    if ((await attempt(scenario, round, earlier !== null && round.list !== earlier)) !== null) return;
    earlier = round.list;
  }
  if (earlier === null) return;
  const recovered: Round = { ...NO_FAULTS, list: earlier };
  const report = await attempt({ ...scenario, onError: 'continueRegularOutput' }, recovered, true);
  ok(report !== null, 'a run with On Error set to Continue was stopped');
  checkNothingLost(report);
}

/** @param lists all of the scenario, which each item has the values of */
function setupOf(scenario: Scenario, list: List, lists: readonly List[], sandbox: Sandbox): Setup {
  const { operation, accounts, hasTime, onError, maxTries, batchSize, options } = scenario;
  const [first = list] = lists;
  const entriesOf = ({ inputs }: List, item: number) =>
    (inputs[item] ?? []).map(({ phone, text }) => ({ phone, message: text }));
  const at = lists.indexOf(list);
  const time = (text: string) => (hasTime ? `${text}.replace('${TIME}', $now.toMillis())` : text);
  const entry = at === 0 ? '$json' : `$json.lists[${at}][0]`;
  const entries = at === 0 ? '$json.list' : `$json.lists[${at}]`;
  const fields =
    list.source === 'items'
      ? { phone: `={{ ${entry}.phone }}`, message: `={{ ${time(`${entry}.message`)} }}` }
      : {
          messages: `={{ ${hasTime ? `${entries}.map((one) => ({ ...one, message: ${time('one.message')} }))` : entries} }}`,
        };
  return {
    account: { ...accountOf(sandbox), ...(accounts > 1 && { apiKey: '={{ $json.key }}' }) },
    // An item of a user can contain anything.
    items: first.inputs.map((_, item) => {
      const own = first.source === 'items' ? entriesOf(first, item)[0] : { list: entriesOf(first, item) };
      const changed = lists.length > 1 && { lists: lists.map((each) => entriesOf(each, item)) };
      return { ...own, ...changed, ...(accounts > 1 && { key: KEYS[item % accounts] }) } as IDataObject;
    }),
    parameters: {
      resource: 'message',
      operation,
      source: list.source,
      ...fields,
      options: { ...options, ...WITHOUT_WAITING },
      ...(batchSize !== null && { requestOptions: { batching: { batch: { batchSize, batchInterval: 0 } } } }),
    },
    onError,
    ...(maxTries !== null && { retryOnFail: { maxTries } }),
  };
}
