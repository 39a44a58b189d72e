import type { INodeProperties } from 'n8n-workflow';

import { choiceField, choiceIn, type GivenOptions, textField } from '../../n8n/input/readOptions';
import type { Question } from '../../questions/question';

// The user's settings for the page behind the link, named as in n8n's own nodes where those have the same.

export const responseType = choiceField('Response Type', 'responseType', {
  default: 'approval',
  description: 'How the recipient answers the question',
  choices: {
    approval: ['Approval', 'The page shows a button to approve and one to decline'],
    freeText: ['Free Text', 'The page shows a text field'],
  },
});

// Only an approval approves a tool's call, so human review offers nothing else where n8n shows the list.
for (const choice of responseType.options)
  if (choice.value !== 'approval') choice.displayOptions = { hide: { '@tool': [true] } };

const approvalType = choiceField('Type of Approval', 'approvalType', {
  default: 'double',
  choices: { double: ['Approve and Decline'], single: ['Approve Only'] },
});

const approveLabel = textField('Approve Button Label', 'approveLabel', { default: 'Approve' });

const disapproveLabel = textField('Decline Button Label', 'disapproveLabel', {
  displayOptions: { show: { approvalType: ['double'] } },
  default: 'Decline',
});

const commentLabel = textField('Comment Field Label', 'commentLabel', {
  placeholder: 'e.g. Comment (optional)',
  hint: 'Without a label, the page has no comment field',
  description: 'Label of a field for a comment beside the decision',
});

export const approvalOptions: INodeProperties = {
  displayName: 'Approval Options',
  name: 'approvalOptions',
  type: 'fixedCollection',
  placeholder: 'Add option',
  default: {},
  description: 'Buttons and comment field of the answer page',
  options: [
    { displayName: 'Values', name: 'values', values: [approvalType, approveLabel, disapproveLabel, commentLabel] },
  ],
};

export const buttonLabel = textField('Response Button Label', 'responseButtonLabel', {
  displayOptions: { show: { '/responseType': ['freeText'] } },
  default: 'Send',
  description: 'Label of the button that sends the text',
});

export const pageTitle = textField('Page Title', 'responseFormTitle', {
  placeholder: 'e.g. Order 1042',
  description: "Title of the answer page, which browsers show in the tab. The default is the workflow's name.",
});

export const thanks = textField('Thank You Text', 'thankYouText', {
  default: 'Thank you. You can close this page.',
  description: 'Text that the page shows after the answer',
});

/** Reads the texts of the page. @param workflow its name, which is the page's title by default */
export function readPage(given: GivenOptions, workflow: string | undefined): Omit<Question, 'text'> {
  const textOf = (field: ReturnType<typeof textField>, within?: string) =>
    given.read(field, writtenIn, field.default, within);
  const page = { title: textOf(pageTitle) || workflow, thanks: textOf(thanks) };
  if (given.read(responseType, choiceIn, responseType.default, '') === 'freeText')
    return { ...page, response: { kind: 'freeText', send: textOf(buttonLabel) } };
  const values = `${approvalOptions.name}.values.`;
  const type = given.read(approvalType, choiceIn, approvalType.default, values);
  const decline = type === 'single' ? undefined : textOf(disapproveLabel, values);
  const comment = textOf(commentLabel, values) || undefined;
  return { ...page, response: { kind: 'approval', approve: textOf(approveLabel, values), decline, comment } };
}

/** A label of spaces counts as not given. */
function writtenIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
