import type { IExecuteFunctions } from 'n8n-workflow';

import { warnOfLink } from '../../nodes/MessagingSend/n8n/waiting';

const WARNS = "which no phone outside this n8n's network can open";

test.each<[warnings: number, addresses: string]>([
  [1, 'http://localhost:5678 http://LOCALHOST. https://n8n.localhost http://127.1.2.3 http://2130706433'],
  [1, 'http://0.0.0.0:5678 http://[::1]:5678 http://[::]'],
  [1, 'http://10.0.0.5:5678 http://172.16.0.1 http://172.31.255.254 http://192.168.1.20 http://169.254.7.7'],
  [1, 'http://[fd12:3456::1] http://[fe80::1] http://n8n:5678 http://n8n.local https://n8n.corp.internal'],
  [1, 'https://nas.home.arpa'],
  [0, 'https://n8n.example.com https://localhost.example.com https://mylocalhost.com https://10.example.com'],
  [0, 'https://127.0.0.1.example.com http://172.15.0.1 http://172.32.0.1 http://192.169.0.1 http://11.0.0.1'],
  [0, 'http://[2001:db8::1] http://[::2] https://local.example.com https://internal.example'],
])('%i warnings say that nobody elsewhere can open a link that begins with one of %s', (warnings, addresses) => {
  for (const address of addresses.split(' ')) {
    const addExecutionHints = jest.fn();
    const getSignedResumeUrl = () => `${address}/webhook-waiting/1/2?q=0&signature=made-up`;
    warnOfLink({ addExecutionHints, getSignedResumeUrl } as unknown as IExecuteFunctions, { execution: '1', run: 0 });
    const message = expect.stringContaining(`begins with ${new URL(address).origin}, ${WARNS}. `) as string;
    const hint = { message, location: 'outputPane', type: 'warning' };
    expect([address, addExecutionHints.mock.calls]).toEqual([address, Array(warnings).fill([hint])]);
  }
});
