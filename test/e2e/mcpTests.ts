import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { asArray, asObject, asString, type JsonObject } from '../../demo/json';
import type { ReleaseName } from '../../demo/releases';
import type { StoredCredential } from '../../demo/rest';
import { REFUSALS } from './refusals';
import { KEY, type Stage, stopped } from './stage';
import { assertToolsExplainThemselves, BALANCE_TOOL, BULK_TOOL, SEND_TOOL, UNTOUCHED } from './toolTexts';
import { mcpWorkflow, SEND_BULK, tool } from './toolWorkflow';
import type { WorkflowNode } from './workflow';

const PHONE = '447700900123';
const WRONG_KEY = 'another-made-up-key-9876543210';

/** What the node does as a tool of the MCP Server Trigger, called by a client of the Model Context Protocol. */
export function testMcpServer(release: ReleaseName, stage: () => Stage): void {
  describe('the tool of an MCP server', () => {
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
    after(async () => await Promise.all(clients.map(async (opened) => await opened.close())));
    beforeEach(() => stage().sandbox.reset());

    /** A client of an MCP server with these tools. */
    async function connect(
      path: string,
      tools: WorkflowNode[],
      account: StoredCredential = stage().credential,
    ): Promise<Client> {
      const { rest, n8n } = stage();
      const workflow = await rest.importWorkflow(mcpWorkflow(release, path, tools), [account]);
      await rest.activate(workflow, { seconds: 30, signal: stopped.signal });
      const opened = new Client({ name: 'end-to-end tests', version: '1.0.0' });
      await opened.connect(new StreamableHTTPClientTransport(new URL(`${n8n.url}/mcp/${path}`)));
      clients.push(opened);
      return opened;
    }

    /** The text that a call comes back with, and whether it counts as an error. */
    async function call(name: string, input: JsonObject, by = client): Promise<{ text: string; isError: boolean }> {
      const answer = asObject(await by.callTool({ name, arguments: input }), 'answer');
      const texts = asArray(answer.content, 'content').map((part) => asString(asObject(part, 'part').text, 'text'));
      for (const key of [KEY, WRONG_KEY]) assert.ok(!texts.join().includes(key), 'the key stays secret');
      return { text: texts.join('\n'), isError: answer.isError === true };
    }

    const sentTexts = () =>
      stage()
        .sandbox.messages()
        .map(({ message }) => message);

    test('its client is told what it does and what to give it', async () => {
      const { tools } = await client.listTools();
      assertToolsExplainThemselves(
        tools.map(({ name, description = '', inputSchema }) => ({ name, description, schema: inputSchema })),
      );
    });

    test('gets the balance', async () => {
      const { text, isError } = await call(BALANCE_TOOL, {});
      assert.equal(isError, false);
      assert.deepEqual(JSON.parse(text), [{ credits: 1_000_000, user_id: 4711, user_name: 'Sandbox User' }]);
    });

    test('sends a message', async () => {
      const { text, isError } = await call(SEND_TOOL, { Phone: '+44 7700 900123', Message: 'Hello' });
      assert.equal(isError, false);
      const [sent] = stage().sandbox.messages();
      assert.deepEqual([sent?.phone, sent?.message, sent?.endpoint], [PHONE, 'Hello', 'send']);
      const [result] = asArray(JSON.parse(text), 'result') as JsonObject[];
      assert.deepEqual([result?.message_id, result?.status], [sent?.id, 'sent']);
    });

    test('sends a list with one request', async () => {
      const messages = ['one', 'two'].map((message, index) => ({ phone: `44770090012${index}`, message }));
      const { text, isError } = await call(BULK_TOOL, { Messages: messages });
      assert.equal(isError, false);
      assert.equal(asArray(JSON.parse(text), 'result').length, 2);
      assert.deepEqual(
        stage()
          .sandbox.messages()
          .map(({ phone, message, endpoint }) => ({ phone, message, endpoint })),
        messages.map((message) => ({ ...message, endpoint: 'bulk' })),
      );
      assert.equal(
        new Set(
          stage()
            .sandbox.messages()
            .map(({ request }) => request),
        ).size,
        1,
      );
    });

    test('calls at the same time all send, also with the same text', async () => {
      const texts = ['one', 'two', 'again', 'again'];
      await Promise.all(texts.map(async (Message) => await call(SEND_TOOL, { Phone: PHONE, Message })));
      assert.deepEqual(sentTexts().sort(), [...texts].sort());
    });

    for (const { name, input, told, prepare, wrongKey } of REFUSALS) {
      test(`its error can be acted on: ${name}`, async () => {
        const { rest, sandbox } = stage();
        prepare?.(sandbox);
        const by = wrongKey
          ? await connect(
              'wrong-key',
              UNTOUCHED,
              await rest.createCredential('Wrong', 'messagingSendApi', {
                baseUrl: `${sandbox.url}/v1`,
                apiKey: WRONG_KEY,
              }),
            )
          : client;
        const { text, isError } = await call(SEND_TOOL, input, by);
        assert.equal(isError, true);
        for (const part of told) assert.match(text, part);
        assert.deepEqual(sandbox.messages(), []);
      });
    }

    test('a list with entries that are wrong is not sent, and each is named', async () => {
      const Messages = [PHONE, '07700 900124', 'unknown'].map((phone) => ({ phone, message: 'Hello' }));
      const { text } = await call(BULK_TOOL, { Messages });
      assert.match(
        text,
        /country code is missing \(entry 1 of the list\); The phone number contains letters \(entry 2 of the list\)/,
      );
      assert.match(text, /Nothing was sent\. Entries are counted from 0/);
      assert.deepEqual(sentTexts(), []);
    });

    test('with On Error: Continue the rest of a list is sent, and each entry has its result', async () => {
      const continuing = tool('Continuing', SEND_BULK, { onError: 'continueRegularOutput' });
      const Messages = [PHONE, '07700 900124', '447700900125'].map((phone) => ({ phone, message: `To ${phone}` }));
      const { text } = await call('Continuing', { Messages }, await connect('continuing', [continuing]));
      const results = asArray(JSON.parse(text), 'results').map((result) => asObject(result, 'result'));
      assert.deepEqual(
        results.map(({ status, error }) => status ?? error),
        ['sent', 'The phone number begins with 0, so its country code is missing (entry 1 of the list)', 'sent'],
      );
      assert.deepEqual(sentTexts(), [`To ${PHONE}`, 'To 447700900125']);
    });

    test('Retry On Fail sends nothing twice: not what was sent, nor what may have been', async () => {
      stage().sandbox.setFaults([{ kind: 'reset-after', on: 'bulk', after: 1, times: 10 }]);
      const messages = ['one', 'two'].map((message) => ({ phone: PHONE, message }));
      const { text, isError } = await call('Retrying', { Messages: messages }, retryingClient);
      assert.equal(isError, true);
      assert.match(text, /Entries that were sent: 0\. Entries that may have been sent: 1\./);
      assert.deepEqual(sentTexts(), ['one', 'two']);
    });

    test('Retry On Fail sends what was not sent, and a further call sends anew', async () => {
      stage().sandbox.setFaults([{ kind: 'status', status: 400, code: 'BUSY', on: 'bulk', after: 1 }]);
      const messages = ['one', 'two'].map((message) => ({ phone: PHONE, message }));
      assert.equal((await call('Retrying', { Messages: messages }, retryingClient)).isError, false);
      assert.deepEqual(sentTexts(), ['one', 'two']);
      assert.equal((await call('Retrying', { Messages: messages }, retryingClient)).isError, false);
      assert.deepEqual(sentTexts(), ['one', 'two', 'one', 'two']);
    });
  });
}
