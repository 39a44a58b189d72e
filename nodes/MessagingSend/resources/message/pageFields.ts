import type { INodeProperties } from 'n8n-workflow';

import type { Question } from '../../questions/question';

// What the user sets of the page behind the link, with n8n's names where its own nodes have the same.

export const responseType: INodeProperties = {
  displayName: 'Response Type',
  name: 'responseType',
  type: 'options',
  noDataExpression: true,
  options: [
    { name: 'Approval', value: 'approval', description: 'The page shows a button to approve and one to decline' },
    { name: 'Free Text', value: 'freeText', description: 'The page shows a text field' },
  ],
  default: 'approval',
  description: 'How the recipient answers the question',
};

const approvalType: INodeProperties = {
  displayName: 'Type of Approval',
  name: 'approvalType',
  type: 'options',
  noDataExpression: true,
  options: [
    { name: 'Approve and Decline', value: 'double' },
    { name: 'Approve Only', value: 'single' },
  ],
  default: 'double',
};

const approveLabel: INodeProperties = {
  displayName: 'Approve Button Label',
  name: 'approveLabel',
  type: 'string',
  default: 'Approve',
};

const disapproveLabel: INodeProperties = {
  displayName: 'Decline Button Label',
  name: 'disapproveLabel',
  type: 'string',
  displayOptions: { show: { approvalType: ['double'] } },
  default: 'Decline',
};

const commentLabel: INodeProperties = {
  displayName: 'Comment Field Label',
  name: 'commentLabel',
  type: 'string',
  default: '',
  placeholder: 'e.g. Comment (optional)',
  hint: 'Without a label, the page has no comment field',
  description: 'Label of a field for a comment beside the decision',
};

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

export const buttonLabel: INodeProperties = {
  displayName: 'Response Button Label',
  name: 'responseButtonLabel',
  type: 'string',
  displayOptions: { show: { '/responseType': ['freeText'] } },
  default: 'Send',
  description: 'Label of the button that sends the text',
};

export const thanks: INodeProperties = {
  displayName: 'Thank You Text',
  name: 'thankYouText',
  type: 'string',
  default: 'Thank you. You can close this page.',
  description: 'Text that the page shows after the answer',
};

/** Reads the page's parameters. @throws what n8n throws for an expression that fails */
export function readPage(read: (name: string, fallback: string) => unknown): Omit<Question, 'text'> {
  const label = (path: string, { default: fallback }: INodeProperties) => {
    const given = read(path, '');
    return typeof given === 'string' && given.trim() !== '' ? given : (fallback as string);
  };
  const approval = (field: INodeProperties) => label(`${approvalOptions.name}.values.${field.name}`, field);
  const option = (field: INodeProperties) => label(`options.${field.name}`, field);
  if (read(responseType.name, '') === 'freeText') {
    return { response: { kind: 'freeText', buttonLabel: option(buttonLabel) }, thanks: option(thanks) };
  }
  const comment = approval(commentLabel);
  return {
    response: {
      kind: 'approval',
      approveLabel: approval(approveLabel),
      declineLabel: approval(approvalType) === 'single' ? null : approval(disapproveLabel),
      commentLabel: comment === '' ? null : comment,
    },
    thanks: option(thanks),
  };
}
