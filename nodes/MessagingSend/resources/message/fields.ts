import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { MAX_CHARACTERS } from '../../api/endpoints';
import { textField } from '../../n8n/input/readOptions';

export type Show = NonNullable<IDisplayOptions['show']>;

export const MAX_TEXT = MAX_CHARACTERS.toLocaleString('en-US');

export const phone = textField('Phone', 'phone', {
  required: true,
  placeholder: 'e.g. +447700900123',
  hint: 'With the country code: +447700900123, not 07700 900123',
  description:
    "Phone number of the recipient, one per message. For numbers without a country code, add the option 'Default Country Code'.",
});

export const message = textField('Message', 'message', {
  typeOptions: { rows: 4 },
  required: true,
  placeholder: 'e.g. Hello Ada, your order is on its way.',
  description: 'Text to send. To address each recipient by name, drag a field from the input into it.',
});

/** The two fields that Send, and Send Bulk with one message per item, have in common. */
export function recipientAndText(show: Show, hint?: string): INodeProperties[] {
  const number = 'Phone number of one recipient, with + and the country code, such as +447700900123';
  const text = `Text to send, at most ${MAX_TEXT} characters. Every call sends a real message and uses a credit: never repeat one that may have been sent.`;
  return [
    ...forPeopleAndModels(phone, show, filledIn(phone, number)),
    ...forPeopleAndModels({ ...message, hint }, show, filledIn(message, text)),
  ];
}

/** @param forModels differs when the node is the tool of an agent or an MCP server */
export function forPeopleAndModels(field: INodeProperties, show: Show, forModels: Partial<INodeProperties>) {
  return [
    { ...field, displayOptions: { show, hide: { '@tool': [true] } } },
    { ...field, displayOptions: { show: { ...show, '@tool': [true] } }, ...forModels },
  ];
}

/**
 * The model fills the field in, unless the user enters something else: it is set as by the button beside the field, which
 * leaves the hint empty. A model sees nothing of the field but its name and the hint.
 */
export function filledIn({ displayName, type }: INodeProperties, hint: string): Pick<INodeProperties, 'default'> {
  // What the editor's button writes; n8n recognizes it by the comment.
  const expression = `/*n8n-auto-generated-fromAI-override*/ $fromAI('${displayName}', \`${hint}\`, '${type}')`;
  return { default: `={{ ${expression} }}` };
}
