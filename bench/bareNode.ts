/** A bare node: it reads the items, posts them in batches, and returns the answers. */
import type { IDataObject, IHttpRequestOptions, INodeExecutionData, INodeType } from 'n8n-workflow';

import { itemsNode, type Step } from '../tools/engine/steps';
import { PARALLEL } from './contenders';

const CREDENTIAL = 'messagingSendApi';

interface Answer {
  readonly data: IDataObject & { readonly messages?: IDataObject[] };
}

/** With a batch size of 1, it posts to the endpoint for one message. */
export function bareNode(batchSize: number): Step {
  const type: INodeType = {
    description: {
      ...itemsNode([]).description,
      displayName: 'Bare',
      name: 'bare',
      inputs: ['main'],
      credentials: [{ name: CREDENTIAL, required: true }],
    },
    async execute() {
      const items = this.getInputData();
      const data = await this.getCredentials(CREDENTIAL);
      const credentialsDecrypted = { id: '', name: CREDENTIAL, type: CREDENTIAL, data };
      const request: IHttpRequestOptions = {
        method: 'POST',
        baseURL: data.baseUrl as string,
        url: batchSize === 1 ? '/messages/send' : '/messages/send-bulk',
      };
      const output: INodeExecutionData[] = [];
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < items.length) {
          const start = next;
          next += batchSize;
          const messages = items
            .slice(start, start + batchSize)
            .map(({ json: { phone, message } }) => ({ phone, message }));
          const body = batchSize === 1 ? messages[0] : { messages };
          const answer = (await this.helpers.httpRequestWithAuthentication.call(
            this,
            CREDENTIAL,
            { ...request, body },
            { credentialsDecrypted },
          )) as Answer;
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
  return { name: 'Bare', type };
}
