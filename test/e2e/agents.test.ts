/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { type Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod/v4';

import { API_KEY } from '../../tools/n8n/instance';
import { SUPPORTED } from '../../tools/n8n/releases';
import { type JsonObject, START, type WorkflowNode } from '../../tools/n8n/workflow';
import { modelForTests } from './chatModel';
import { instanceForTests } from './instanceForTests';
import { AGENT, agentWorkflow, GET_BALANCE, mcpClient, mcpWorkflow, SEND, SEND_BULK, tool } from './toolWorkflow';

/** The tools as they are when a user has picked their operation and credential in the editor, and nothing else. */
const UNTOUCHED = [
  tool('Get credit balance in Messaging Send', GET_BALANCE),
  tool('Send text message to phone number in Messaging Send', SEND),
  tool('Send text messages to many phone numbers in Messaging Send', SEND_BULK),
];

/** The names that a model calls them by. */
const BALANCE_TOOL = 'Get_credit_balance_in_Messaging_Send';
const SEND_TOOL = 'Send_text_message_to_phone_number_in_Messaging_Send';
const BULK_TOOL = 'Send_text_messages_to_many_phone_numbers_in_Messaging_Send';
const PHONE = '447700900123';
const LIST = ['one', 'two'].map((message, index) => ({ phone: `44770090012${index}`, message }));
/** How an MCP server answers a call. */
const ANSWER = z.object({ content: z.array(z.object({ text: z.string() })), isError: z.boolean().optional() });
/** An input of a tool, as the server describes it. */
const EXPLAINED = z.object({ description: z.string() });
const RESULTS = z.array(z.record(z.string(), z.unknown()));
const ACCOUNT = { credits: 1_000_000, user_id: 4711, user_name: 'Sandbox User' };

for (const release of SUPPORTED) {
  describe(`Messaging Send in n8n ${release}`, () => {
    const instance = instanceForTests({ release });
    beforeEach(() => instance().sandbox.reset());

    const sent = () => instance().sandbox.messages();
    const sentTexts = () => sent().map(({ message }) => message);
    const assertSecret = (text: string) => {
      assert.ok(!text.includes(API_KEY), 'the key stays secret');
    };
    describe('as the tool of an AI Agent, whose model is a stand-in that calls what a test wants called', () => {
      const { model, account } = modelForTests(instance);

      test('Every call sends its text, even one that was sent before, at the same time or one after the other', async () => {
        const { rest, credential } = instance();
        const send = (Message: string) => ({ tool: SEND_TOOL, input: { Phone: '+44 (0)7700 900-123', Message } });
        model().script({ calls: [send('one'), send('again')] }, { calls: [send('again')] });
        const workflow = await rest.importWorkflow(agentWorkflow('Agent', UNTOUCHED), [credential, account()]);
        const execution = await rest.run(workflow, START);
        assertSecret(model().heard() + execution.error);
        assert.equal(execution.outputOf(AGENT).at(-1)?.json.output, 'Done.');
        assert.deepEqual(sentTexts().sort(), ['again', 'again', 'one']);
        assert.deepEqual([...new Set(sent().map(({ phone }) => phone))], [PHONE]);
      });
    });

    describe('as the tool of an MCP server', () => {
      const clients: Client[] = [];
      let client: Client;
      before(async () => {
        client = await connect('messaging', UNTOUCHED);
      });
      after(() => Promise.all(clients.map((opened) => opened.close())));

      async function connect(path: string, tools: WorkflowNode[], account = instance().credential): Promise<Client> {
        const { rest, n8n } = instance();
        await rest.publish(mcpWorkflow(release, path, tools), [account]);
        const opened = await mcpClient(n8n.url, path);
        clients.push(opened);
        return opened;
      }

      /** The text that a call comes back with, and whether it counts as an error. */
      async function call(name: string, given: JsonObject, by = client): Promise<{ text: string; isError: boolean }> {
        const { content, isError = false } = ANSWER.parse(await by.callTool({ name, arguments: given }));
        const text = content.map((part) => part.text).join('\n');
        assertSecret(text);
        return { text, isError };
      }

      test('The tools explain themselves to the client', async () => {
        const { tools } = await client.listTools();
        /** What a model sees of each: its description and its inputs, all of which it needs, with their descriptions. */
        const explained = tools.map(({ description, inputSchema: { properties = {}, required = [] } }) => {
          assert.deepEqual(required, Object.keys(properties));
          const texts = Object.values(properties).map((input) => EXPLAINED.parse(input).description);
          return `${description}: ${required.join()}\n${texts.join('\n')}`;
        });
        assert.equal(explained.length, 3);
        const [balance = '', send = '', sendBulk = ''] = explained.sort();
        assert.equal(balance, 'Get credit balance in Messaging Send: \n');
        assert.match(send, /^Send text message to phone number in Messaging Send: Phone,Message\n/);
        assert.match(send, /with \+ and the country code, such as \+447700900123.*\n/);
        assert.match(send, /\n.*at most 1,000 characters\. Every call sends a real message and uses a credit/);
        assert.match(sendBulk, /^Send text messages to many phone numbers in Messaging Send: Messages\n/);
        const list = /JSON array with one object for each: \[\{ "phone": "\+447700900123", "message": "Hello" \}\]/;
        assert.match(sendBulk, list);
        assert.match(sendBulk, /country code.*at most 1,000 characters.*credit/);
      });

      test('A client gets the balance, sends a message, and a list with one request', async () => {
        const answers = [
          await call(BALANCE_TOOL, {}),
          await call(SEND_TOOL, { Phone: '+44 7700 900123', Message: 'Hello' }),
          await call(BULK_TOOL, { Messages: LIST }),
        ];
        assert.ok(answers.every(({ isError }) => !isError));
        const [balance, single, list] = answers.map(({ text }) => RESULTS.parse(JSON.parse(text)));
        assert.deepEqual(balance, [ACCOUNT]);
        const [message, ...listed] = sent();
        assert.deepEqual([message?.phone, message?.message, message?.endpoint], [PHONE, 'Hello', 'send']);
        assert.deepEqual([single?.[0]?.message_id, single?.[0]?.status], [message?.id, 'sent']);
        assert.deepEqual(
          listed.map(({ phone, message: text }) => ({ phone, message: text })),
          LIST,
        );
        assert.equal(new Set(listed.map(({ request }) => request)).size, 1);
        assert.equal(list?.length, LIST.length);
      });

      test('Retry On Fail sends what was not sent and nothing twice, and another call sends everything again', async () => {
        const singly = { ...SEND_BULK, requestOptions: { batching: { batch: { batchSize: 1 } } } };
        const retrying = tool('Retrying', singly, { retryOnFail: true, waitBetweenTries: 10 });
        const retryingClient = await connect('retrying', [retrying]);
        const { sandbox } = instance();
        const again = async () => await call('Retrying', { Messages: LIST }, retryingClient);

        sandbox.setFaults([{ kind: 'status', status: 400, code: 'BUSY', on: 'bulk', after: 1 }]);
        assert.equal((await again()).isError, false);
        assert.deepEqual(sentTexts(), ['one', 'two']);

        sandbox.setFaults([{ kind: 'reset-after', on: 'bulk', after: 1, times: 10 }]);
        const { text, isError } = await again();
        assert.equal(isError, true);
        assert.match(text, / 1 sent.*, 1 uncertain .* 1 may have been sent: .* \(entry 1\)\. /);
        assert.deepEqual(sentTexts(), ['one', 'two', 'one', 'two']);
      });
    });
  });
}
