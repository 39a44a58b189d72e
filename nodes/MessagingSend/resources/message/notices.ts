import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

const MESSAGE = { resource: ['message'], operation: ['send', 'sendBulk'] };

export const toolNotice = notice(
  'toolNotice',
  'Every call by the model sends real messages and uses credits, even if it repeats an earlier call',
  { ...MESSAGE, '@tool': [true] },
);

/** For choices under Options. They follow it: n8n would offer a notice within a collection as an option to add. */
export const optionNotices: INodeProperties[] = [
  notice('dryRunNotice', "The option 'Dry Run' is on: nothing is sent", { ...MESSAGE, '/options.dryRun': [true] }),
  notice('realRunNotice', "The option 'Dry Run' is off: the next run sends real messages and uses credits", {
    ...MESSAGE,
    '/options.dryRun': [false],
  }),
  notice(
    'sendAgainNotice',
    'A retry sends every uncertain message again. If it was sent the first time, the recipient gets it twice, and it uses credits twice.',
    { ...MESSAGE, '/options.uncertain': ['sendAgain'] },
  ),
  notice('splitNotice', 'Each part of a long text is sent as a separate message and uses 1 credit', {
    ...MESSAGE,
    '/options.longMessages': ['split'],
  }),
  notice(
    'creditsNotice',
    'The first messages use up the credits, and the rest are not sent. This works only with On Error set to Continue, under Settings.',
    { ...MESSAGE, '/options.whenCreditsRunOut': ['sendWhatCreditsAllow'] },
  ),
];

/** A box in the panel. It is shown only with the choice that risks money or a message, so that it is read. */
function notice(name: string, text: string, show: NonNullable<IDisplayOptions['show']>): INodeProperties {
  return { displayName: text, name, type: 'notice', default: '', displayOptions: { show } };
}
