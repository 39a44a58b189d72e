import type { IDataObject, IHttpRequestOptions, INodeExecutionData, INodeType } from 'n8n-workflow';

import { itemsNode, type Step } from '../tools/engine/steps';
import { compare, contacts, type Options, PARALLEL, type Row, sendingNode, withSandbox } from './measurements';

/** Short runs vary more and are cheaper to repeat: the median of only 3 would be chance. */
const CASES = [
  { operation: 'sendBulk', name: 'Send Bulk', count: 100, repeated: 12, atMost: 1.8 },
  { operation: 'sendBulk', name: 'Send Bulk', count: 1_000, repeated: 12, atMost: 1.5 },
  { operation: 'sendBulk', name: 'Send Bulk', count: 10_000, repeated: 10, atMost: 1.25 },
  { operation: 'sendBulk', name: 'Send Bulk', count: 50_000, repeated: 5, atMost: 1.15 },
  { operation: 'send', name: 'Send', count: 1_000, repeated: 4, atMost: 1.1 },
] as const;
/** n8n runs for weeks, so its code is compiled: each contender handles this many items before it is measured. */
const WARM_UP = 10_000;

/** The node's time over that of a bare loop, which makes the same requests and output without any checks. */
export async function bare({ rounds, before, session }: Options): Promise<Row[]> {
  return await withSandbox(async (sandbox) => {
    const rows: Row[] = [];
    for (const { operation, name, count, repeated, atMost } of CASES) {
      const items = contacts(count);
      const timed = (step: Step) => async () => await sandbox.timeOf(step, items);
      const own = timed(await sendingNode(operation));
      const what = `${name}, ${count.toLocaleString('en')} items`;
      const settings = { rounds: rounds * repeated, warmUps: Math.ceil(WARM_UP / count), atMost };
      const loop = timed(bareNode(operation === 'send' ? 1 : 100));
      rows.push(await compare(what, [own, loop], settings, session));
      if (before === undefined) continue;
      const earlier = timed(await sendingNode(operation, {}, before));
      rows.push(await compare(`${what}, over the node before`, [own, earlier], { ...settings, atMost: 1 }, session));
    }
    return rows;
  });
}

const CREDENTIAL = 'messagingSendApi';

interface Answer {
  readonly data: IDataObject & { readonly messages?: IDataObject[] };
}

/** Reads the items, posts them in batches, and returns the answers; with a batch size of 1, to the other endpoint. */
function bareNode(batchSize: number): Step {
  const type: INodeType = {
    description: {
      ...itemsNode([]).description,
      name: 'bare',
      inputs: ['main'],
      credentials: [{ name: CREDENTIAL, required: true }],
    },
    async execute() {
      const items = this.getInputData();
      const data = await this.getCredentials(CREDENTIAL);
      const more = { credentialsDecrypted: { id: '', name: CREDENTIAL, type: CREDENTIAL, data } };
      const url = batchSize === 1 ? '/messages/send' : '/messages/send-bulk';
      const request: IHttpRequestOptions = { method: 'POST', baseURL: data.baseUrl as string, url };
      const output: INodeExecutionData[] = [];
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < items.length) {
          const start = next;
          next += batchSize;
          const batch = items.slice(start, start + batchSize);
          const messages = batch.map(({ json: { phone, message } }) => ({ phone, message }));
          const body = batchSize === 1 ? messages[0] : { messages };
          const { helpers } = this;
          const options = { ...request, body };
          const answer = (await helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, options, more)) as Answer;
          const sent = answer.data.messages ?? [{ ...answer.data, phone: messages[0]?.phone }];
          for (const [index, { message_id, phone, status, ...more }] of sent.entries()) {
            const json = { message_id, phone, status, ...more, ...(batchSize > 1 && { batch: start / batchSize + 1 }) };
            output[start + index] = { json, pairedItem: { item: start + index } };
          }
        }
      };
      await Promise.all(Array.from({ length: PARALLEL }, worker));
      return [output];
    },
  };
  return { type };
}
