import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { asArray, asObject, asObjects, asString, type JsonObject } from '../../tools/json';
import { API_KEY } from '../../tools/n8n/instance';
import { type ReleaseName } from '../../tools/n8n/releases';
import { type StoredCredential } from '../../tools/n8n/rest';
import { type WorkflowNode } from '../support/n8n/workflow';
import { PHONE, REFUSALS, WRONG_KEY } from './refusals';
import { assertToolsExplainThemselves, BALANCE_TOOL, BULK_TOOL, SEND_TOOL, UNTOUCHED } from './toolTexts';
import { mcpWorkflow, SEND_BULK, tool } from './toolWorkflow';

/** Tests the node as a tool of the MCP Server Trigger, called by a client of the Model Context Protocol. */
export function testMcpServer(release: ReleaseName, instance: () => InstanceWithSandbox): void {
  describe('as the tool of an MCP server', () => {
    const clients: Client[] = [];
    let client: Client;
    let retryingClient: Client;
    before(async () => {
      const retrying = tool(
        'Retrying',
        { ...SEND_BULK, requestOptions: { batching: { batch: { batchSize: 1 } } } },
        { retryOnFail: true, waitBetweenTries: 10 },
      );
      client = await connect('messaging', UNTOUCHED);
      retryingClient = await connect('retrying', [retrying]);
    });
    after(() => Promise.all(clients.map((opened) => opened.close())));
    beforeEach(() => instance().sandbox.reset());

    /** A client of an MCP server with these tools. */
    async function connect(
      path: string,
      tools: WorkflowNode[],
      account: StoredCredential = instance().credential,
    ): Promise<Client> {
      const { rest, n8n } = instance();
      const workflow = await rest.importWorkflow(mcpWorkflow(release, path, tools), [account]);
      await rest.activate(workflow);
      const opened = new Client({ name: 'end-to-end tests', version: '1.0.0' });
      await opened.connect(new StreamableHTTPClientTransport(new URL(`${n8n.url}/mcp/${path}`)));
      clients.push(opened);
      return opened;
    }

    /** The text that a call comes back with, and whether it counts as an error. */
    async function call(name: string, input: JsonObject, by = client): Promise<{ text: string; isError: boolean }> {
      const answer = asObject(await by.callTool({ name, arguments: input }), 'answer');
      const texts = asObjects(answer.content, 'content').map((part) => asString(part.text, 'text'));
      for (const key of [API_KEY, WRONG_KEY]) assert.ok(!texts.join().includes(key), 'the key stays secret');
      return { text: texts.join('\n'), isError: answer.isError === true };
    }

    const sent = () => instance().sandbox.messages();
    const sentTexts = () => sent().map(({ message }) => message);

    test('The tools explain themselves to the client', async () => {
      const { tools } = await client.listTools();
      assertToolsExplainThemselves(
        tools.map(({ name, description = '', inputSchema }) => ({ name, description, schema: inputSchema })),
      );
    });

    test('The tool of an MCP server gets the balance', async () => {
      const { text, isError } = await call(BALANCE_TOOL, {});
      assert.equal(isError, false);
      assert.deepEqual(JSON.parse(text), [{ credits: 1_000_000, user_id: 4711, user_name: 'Sandbox User' }]);
    });

    test('The tool of an MCP server sends a message', async () => {
      const { text, isError } = await call(SEND_TOOL, { Phone: '+44 7700 900123', Message: 'Hello' });
      assert.equal(isError, false);
      const [message] = sent();
      assert.deepEqual([message?.phone, message?.message, message?.endpoint], [PHONE, 'Hello', 'send']);
      const [result] = asObjects(JSON.parse(text), 'result');
      assert.deepEqual([result?.message_id, result?.status], [message?.id, 'sent']);
    });

    test('The tool of an MCP server sends a list with one request', async () => {
      const messages = ['one', 'two'].map((message, index) => ({ phone: `44770090012${index}`, message }));
      const { text, isError } = await call(BULK_TOOL, { Messages: messages });
      assert.equal(isError, false);
      assert.equal(asArray(JSON.parse(text), 'result').length, 2);
      assert.deepEqual(
        sent().map(({ phone, message, endpoint }) => ({ phone, message, endpoint })),
        messages.map((message) => ({ ...message, endpoint: 'bulk' })),
      );
      assert.equal(new Set(sent().map(({ request }) => request)).size, 1);
    });

    test('Calls at the same time all send, also with the same text', async () => {
      const texts = ['one', 'two', 'again', 'again'];
      await Promise.all(texts.map((Message) => call(SEND_TOOL, { Phone: PHONE, Message })));
      assert.deepEqual(sentTexts().sort(), [...texts].sort());
    });

    for (const { name, input, reported, prepare, wrongKey } of REFUSALS) {
      test(`The client gets an error that it can act on: ${name}`, async () => {
        const { sandbox } = instance();
        prepare?.(sandbox);
        const by = wrongKey
          ? await connect(
              'wrong-key',
              UNTOUCHED,
              await instance().storeAccount({ url: sandbox.url, apiKey: WRONG_KEY, name: 'Wrong' }),
            )
          : client;
        const { text, isError } = await call(SEND_TOOL, input, by);
        assert.equal(isError, true);
        for (const part of reported) assert.match(text, part);
        assert.deepEqual(sandbox.messages(), []);
      });
    }

    test('A list with wrong entries is not sent, and each of them is named', async () => {
      const Messages = [PHONE, '07700 900124', 'unknown'].map((phone) => ({ phone, message: 'Hello' }));
      const { text } = await call(BULK_TOOL, { Messages });
      assert.match(
        text,
        /country code is missing \(entry 1 of the list\); The phone number contains letters \(entry 2 of the list\)/,
      );
      assert.match(text, /Nothing was sent\. Entries are counted from 0/);
      assert.deepEqual(sentTexts(), []);
    });

    test('With On Error: Continue, the rest of a list is sent, and each entry has its result', async () => {
      const continuing = tool('Continuing', SEND_BULK, { onError: 'continueRegularOutput' });
      const Messages = [PHONE, '07700 900124', '447700900125'].map((phone) => ({ phone, message: `To ${phone}` }));
      const { text } = await call('Continuing', { Messages }, await connect('continuing', [continuing]));
      const results = asObjects(JSON.parse(text), 'results');
      assert.deepEqual(
        results.map(({ status, error }) => status ?? error),
        ['sent', 'The phone number begins with 0, so its country code is missing (entry 1 of the list)', 'sent'],
      );
      assert.deepEqual(sentTexts(), [`To ${PHONE}`, 'To 447700900125']);
    });

    test('Retry On Fail sends nothing twice, neither what was sent nor what may have been sent', async () => {
      instance().sandbox.setFaults([{ kind: 'reset-after', on: 'bulk', after: 1, times: 10 }]);
      const messages = ['one', 'two'].map((message) => ({ phone: PHONE, message }));
      const { text, isError } = await call('Retrying', { Messages: messages }, retryingClient);
      assert.equal(isError, true);
      assert.match(text, /Entries that were sent: 0\. Entries that may have been sent: 1\./);
      assert.deepEqual(sentTexts(), ['one', 'two']);
    });

    test('Retry On Fail sends what was not sent, and another call sends everything again', async () => {
      instance().sandbox.setFaults([{ kind: 'status', status: 400, code: 'BUSY', on: 'bulk', after: 1 }]);
      const messages = ['one', 'two'].map((message) => ({ phone: PHONE, message }));
      assert.equal((await call('Retrying', { Messages: messages }, retryingClient)).isError, false);
      assert.deepEqual(sentTexts(), ['one', 'two']);
      assert.equal((await call('Retrying', { Messages: messages }, retryingClient)).isError, false);
      assert.deepEqual(sentTexts(), ['one', 'two', 'one', 'two']);
    });
  });
}
