/** The workflow of an attempt, as n8n runs it. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox/server';
import { KEY } from '../../support/contacts';
import type { Setup } from '../../support/engine/workflow';
import { WITHOUT_WAITING } from '../../support/parameters';
import { accountOf } from '../../support/sandbox';
import { type List, STAMP } from './lists';
import { CAMPAIGN_KEY, keyOf } from './messages';
import type { Settings } from './scenario';

/** The sandbox's keys: as many as a scenario has accounts, at most. */
export const KEYS = [KEY, 'made-up-key-9876543210'];

/** Expressions for what replaces {@link STAMP} in each text, in 13 digits. */
const STAMPS: Readonly<Record<Settings['stamp'], string | null>> = {
  none: null,
  corrected: "'0000000000001'",
  time: '$now.toMillis()',
  execution: "$execution.id.padStart(13, '0')",
};

/** @param lists all lists of the scenario; each item has the values of all */
export function setupOf(settings: Settings, list: List, lists: readonly List[], sandbox: Sandbox): Omit<Setup, 'mode'> {
  const { operation, accounts, apiKey, stamp, keys, options } = settings;
  const { optedOut, onError, maxTries, batchSize } = settings;
  const [first = list] = lists;
  const entriesOf = ({ inputs }: List, item: number) =>
    (inputs[item] ?? []).map((input) => {
      const { phone, text: message, hasEmptyField, hasHole } = input;
      const end = hasEmptyField ? '' : (/\S\s*$/.exec(message)?.[0] ?? '');
      const keys = hasHole ? {} : { texts: keyOf('texts', input), few: keyOf('few', input) };
      return { phone, message, start: message.slice(0, message.length - end.length), end, keys };
    });
  const at = lists.indexOf(list);
  const stamped = (text: string) => (STAMPS[stamp] === null ? text : `${text}.replace('${STAMP}', ${STAMPS[stamp]})`);
  const entry = at === 0 ? '$json' : `$json.lists[${at}][0]`;
  const entries = at === 0 ? '$json.list' : `$json.lists[${at}]`;
  const stampedEntries = `${entries}.map((one) => ({ ...one, message: ${stamped('one.message')} }))`;
  const fields: INodeParameters =
    list.source === 'items'
      ? { phone: `={{ ${entry}.phone }}`, message: `={{ ${stamped(`${entry}.start`)} }}{{ ${entry}.end }}` }
      : { messages: `={{ ${STAMPS[stamp] === null ? entries : stampedEntries} }}` };
  return {
    account: { ...accountOf(sandbox), apiKey: accounts > 1 ? '={{ $json.apiKey }}' : (KEYS[apiKey] ?? KEY) },
    // A user's item can contain anything.
    items: first.inputs.map((_, item) => {
      const own = first.source === 'items' ? entriesOf(first, item)[0] : { list: entriesOf(first, item) };
      const changed = lists.length > 1 && { lists: lists.map((each) => entriesOf(each, item)) };
      return { ...own, ...changed, ...(accounts > 1 && { apiKey: KEYS[item % accounts] }) } as IDataObject;
    }),
    parameters: {
      resource: 'message',
      operation,
      source: list.source,
      ...fields,
      options: {
        ...WITHOUT_WAITING,
        ...options,
        ...(keys !== 'none' && { messageKey: keys === 'campaign' ? CAMPAIGN_KEY : `={{ ${entry}.keys.${keys} }}` }),
        ...(optedOut.length > 0 && { neverSendTo: optedOut.join() }),
      },
      ...(batchSize !== null && { requestOptions: { batching: { batch: { batchSize, batchInterval: 0 } } } }),
    },
    onError,
    ...(maxTries !== null && { retryOnFail: { maxTries } }),
  };
}
