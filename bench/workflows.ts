/** The items of the benchmark, and workflows without the node to compare with. */
import { type IDataObject, type INodeType, sleep } from 'n8n-workflow';

import type { Steps } from '../test/support/engine/steps';
import { itemsNode } from '../tools/engine/engine';

/** Passes its items on after a second, during which their memory can be measured. */
const holder: INodeType = {
  description: { ...itemsNode([]).description, displayName: 'Hold', name: 'hold', inputs: ['main'] },
  async execute() {
    await sleep(1_000);
    return [this.getInputData()];
  },
};

/** Passes items on. */
export const PASS: Steps = [
  { name: 'No Operation', type: 'n8n-nodes-base.noOp', version: 1, parameters: {}, outputs: [] },
];

/** Holds items for a second, then passes them on. */
export const HOLD: Steps = [{ name: 'Hold', type: holder, version: 1, parameters: {}, outputs: [] }];

/** The contacts from one index up to another, each with its own phone number. */
export function contacts(from: number, to: number): IDataObject[] {
  return Array.from({ length: to - from }, (_, index) => ({
    name: `Made-up Person ${from + index}`,
    phone: `4477${String(from + index).padStart(8, '0')}`,
    message: `Hello Made-up Person ${from + index}, a reminder of your appointment on Monday ${(from + index) % 28} May.`,
  }));
}
