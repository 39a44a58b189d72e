import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/**
 * A box in the panel. It is shown only with the choice that risks money or a message, so that it is read.
 *
 * @param show  begins paths into a collection with `/`: without it, n8n 2.0 can't open a workflow with the node
 */
export function notice(name: string, text: string, show: NonNullable<IDisplayOptions['show']>): INodeProperties {
  return { displayName: text, name, type: 'notice', default: '', displayOptions: { show } };
}
