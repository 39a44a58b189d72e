import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { MAX_CHARACTERS } from '../../api/endpoints';
import { textField } from '../../n8n/input/readOptions';

type Show = NonNullable<IDisplayOptions['show']>;

export const MAX_TEXT = MAX_CHARACTERS.toLocaleString('en-US');

export const phone = textField('Phone', 'phone', {
  required: true,
  placeholder: 'e.g. 447700900123',
  hint: 'With the country code: 447700900123, not 07700 900123',
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
export function recipientAndText(show: Show, textHint?: string): INodeProperties[] {
  return [
    ...forPeopleAndModels(
      phone,
      show,
      'Phone number of one recipient, with the country code and digits only, such as 447700900123 for +44 7700 900123',
    ),
    ...forPeopleAndModels(
      { ...message, hint: textHint },
      show,
      `Text to send, at most ${MAX_TEXT} characters. Every call sends a message and uses a credit, even if the same text was sent before.`,
    ),
  ];
}

/** @param hint by which the model fills it in */
function forPeopleAndModels(parameter: INodeProperties, show: Show, hint: string): INodeProperties[] {
  return [notForModels(parameter, show), forModels(parameter, show, hint)];
}

/**
 * A parameter as it is when the node is the tool of an agent or an MCP server. With a hint, the model fills it in unless
 * the user enters something else: it is set as by the button beside the field, which leaves the hint empty. A model sees
 * nothing of the field but its name and the hint.
 */
export function forModels(parameter: INodeProperties, show: Show, hint?: string): INodeProperties {
  const property: INodeProperties = { ...parameter, displayOptions: { show: { ...show, '@tool': [true] } } };
  if (hint === undefined) return property;
  // What the editor's button writes; n8n recognizes it by the comment.
  const expression = `/*n8n-auto-generated-fromAI-override*/ $fromAI('${parameter.displayName}', \`${hint}\`, '${parameter.type}')`;
  return { ...property, default: `={{ ${expression} }}` };
}

/** The same parameter everywhere else. */
export function notForModels(parameter: INodeProperties, show: Show): INodeProperties {
  return { ...parameter, displayOptions: { show, hide: { '@tool': [true] } } };
}
