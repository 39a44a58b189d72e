import type { INodeProperties } from 'n8n-workflow';

import { notice } from '../../n8n/notice';

const MESSAGE = { resource: ['message'], operation: ['send', 'sendBulk'] };

/** For a node that a model calls. */
export const toolNotice = notice(
  'toolNotice',
  'Every call by the model sends for real and uses credits, also if it sends the same again',
  {
    ...MESSAGE,
    '@tool': [true],
  },
);

/** For choices under Options. They follow it: n8n would offer a notice within a collection as an option to add. */
export const optionNotices: INodeProperties[] = [
  notice('dryRunNotice', 'Dry Run is on: nothing is sent', { ...MESSAGE, '/options.dryRun': [true] }),
  notice('sendAgainNotice', 'With Send Again, a retry can send a message twice, and it then costs twice', {
    ...MESSAGE,
    '/options.uncertain': ['sendAgain'],
  }),
  notice('splitNotice', 'Each part of a long text is sent as a message of its own, and uses a credit', {
    ...MESSAGE,
    '/options.longMessages': ['split'],
  }),
  notice(
    'creditsNotice',
    'The first messages use up the credits, and the rest fail. This works only with On Error set to Continue, under Settings.',
    {
      ...MESSAGE,
      '/options.whenCreditsRunOut': ['sendWhatCreditsAllow'],
    },
  ),
];
