import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

type Show = NonNullable<IDisplayOptions['show']>;

const MESSAGE = { resource: ['message'] };

/**
 * A box in the panel. It is shown only with the choice that puts money or a message at stake, so that it is read.
 *
 * @param show  begins paths into a collection with `/`: without it, n8n 2.0 can't open a workflow with the node
 */
function notice(name: string, text: string, show: Show): INodeProperties {
  return { displayName: text, name, type: 'notice', default: '', displayOptions: { show } };
}

/** For a node that a model calls. */
export const toolNotice = notice(
  'toolNotice',
  'Every call by the model sends for real and uses credits, also if it sends the same again',
  {
    ...MESSAGE,
    '@tool': [true],
  },
);

/** For choices under Options. They stand after it: n8n would offer a notice within a collection as an option to add. */
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

/** For the trigger, right below Poll Times: n8n's default is every minute. */
export const everyMinuteNotice = notice(
  'everyMinuteNotice',
  'Each check takes one of the 60 requests a minute that the service allows this API key. Once an hour will do for most.',
  { '/pollTimes.item[0].mode': ['everyMinute'] },
);
