/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MCP_TOKEN } from '../../../tools/n8n/exampleCredentials';
import { type JsonObject } from '../../../tools/n8n/workflow';
import { type ExampleWorld } from '../exampleWorld';
import { mcpClient } from '../toolWorkflow';

/** The MCP server, called by a client with and without its token. */
export function tests({ instance, received, whileActive }: ExampleWorld): void {
  whileActive();

  test('A client with the token gets the balance and sends', async () => {
    const headers = { authorization: `Bearer ${MCP_TOKEN}` };
    const client = await mcpClient(instance().n8n.url, 'messaging-send', headers);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), ['Get_the_balance', 'Send_a_message', 'Send_many_messages']);
    const call = async (name: string, input: JsonObject) => await client.callTool({ name, arguments: input });
    assert.match(JSON.stringify((await call('Get_the_balance', {})).content), /1000000/);
    await call('Send_a_message', { Phone: '+44 7700 900123', Message: 'Hello' });
    await call('Send_many_messages', {
      Messages: [
        { phone: '447700900124', message: 'one' },
        { phone: '447700900125', message: 'two' },
      ],
    });
    assert.deepEqual(received(), [
      { phone: '447700900123', message: 'Hello' },
      { phone: '447700900124', message: 'one' },
      { phone: '447700900125', message: 'two' },
    ]);
    await client.close();
  });
}
