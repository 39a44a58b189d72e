import { runInNewContext } from 'node:vm';

import { MessagingSend } from '../../nodes/MessagingSend/MessagingSend.node';

const SUBTITLE = /^=\{\{(.*)\}\}$/s.exec(new MessagingSend().description.subtitle ?? '')?.[1] ?? '';
const subtitleOf = (parameters: object): unknown => runInNewContext(`(${SUBTITLE})`, { $parameter: parameters });

test.each([
  ['Send Bulk', { resource: 'message', operation: 'sendBulk', options: {} }],
  ['Send (Dry Run)', { resource: 'message', operation: 'send', options: { dryRun: true } }],
  ['Send Bulk (Test)', { resource: 'message', operation: 'sendBulk', options: { testRun: { values: { count: 3 } } } }],
  ['Send (Dry Run)', { resource: 'message', operation: 'send', options: { dryRun: true, testRun: {} } }],
  ['Get Balance', { resource: 'balance', operation: 'get', options: { dryRun: true } }],
])('The canvas says "%s"', (subtitle, parameters) => {
  expect(subtitleOf(parameters)).toBe(subtitle);
});
