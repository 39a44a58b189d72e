import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** A box in the panel. It is shown only with the choice that risks money or a message, so that it is read. */
export function notice(name: string, text: string, show: NonNullable<IDisplayOptions['show']>): INodeProperties {
  return { displayName: text, name, type: 'notice', default: '', displayOptions: { show } };
}
