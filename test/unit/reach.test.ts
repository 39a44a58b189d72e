import type { IExecuteFunctions } from 'n8n-workflow';

import { reachOf, warnOfLink } from '../../nodes/MessagingSend/n8n/waiting';

test.each<[reach: ReturnType<typeof reachOf>, addresses: string]>([
  ['thisMachine', 'http://localhost:5678 http://LOCALHOST. https://n8n.localhost http://127.1.2.3 http://2130706433'],
  ['thisMachine', 'http://0.0.0.0:5678 http://[::1]:5678 http://[::]'],
  ['ownNetwork', 'http://10.0.0.5:5678 http://172.16.0.1 http://172.31.255.254 http://192.168.1.20 http://169.254.7.7'],
  ['ownNetwork', 'http://[fd12:3456::1] http://[fe80::1] http://n8n:5678 http://n8n.local https://n8n.corp.internal'],
  ['ownNetwork', 'https://nas.home.arpa'],
  ['unknown', 'https://n8n.example.com https://localhost.example.com https://mylocalhost.com https://10.example.com'],
  ['unknown', 'https://127.0.0.1.example.com http://172.15.0.1 http://172.32.0.1 http://192.169.0.1 http://11.0.0.1'],
  ['unknown', 'http://[2001:db8::1] http://[::2] https://local.example.com https://internal.example'],
])('Whose phones can open a link is %s for %s', (reach, addresses) => {
  for (const address of addresses.split(' ')) expect([address, reachOf(`${address}/1`)]).toEqual([address, reach]);
});

test.each([
  ['http://192.168.1.20:5678', 1, 'only phones in its network can open'],
  ['http://localhost:5678', 1, 'no phone can open'],
  ['https://n8n.example.com', 0, ''],
])('A link that begins with %s has %i warnings that say: %s', (address, count, why) => {
  const addExecutionHints = jest.fn();
  const getSignedResumeUrl = () => `${address}/webhook-waiting/1/2?q=0&signature=made-up`;
  warnOfLink({ addExecutionHints, getSignedResumeUrl } as unknown as IExecuteFunctions, { execution: '1', run: 0 });
  const message = expect.stringContaining(`begins with ${address}, which ${why}. `) as string;
  expect(addExecutionHints.mock.calls).toEqual(
    Array(count).fill([{ message, location: 'outputPane', type: 'warning' }]),
  );
});
