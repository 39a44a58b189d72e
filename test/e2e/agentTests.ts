import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { asArray, asObject, asObjects, type JsonObject } from '../../tools/json';
import { API_KEY } from '../../tools/n8n/instance';
import { CURRENT, type ReleaseName } from '../../tools/n8n/releases';
import { type StoredCredential } from '../../tools/n8n/rest';
import { START, type WorkflowNode } from '../support/n8n/workflow';
import { type ChatModel, startChatModel } from './chatModel';
import { type ModelAnswer } from './chatProtocol';
import { PHONE, REFUSALS, WRONG_KEY } from './refusals';
import { assertToolsExplainThemselves, BALANCE_TOOL, BULK_TOOL, SEND_TOOL, UNTOUCHED } from './toolTexts';
import { AGENT, agentWorkflow, SEND, SEND_BULK, tool } from './toolWorkflow';

/** Tests the node as the tool of an AI Agent, whose model is a stand-in that calls what a test wants called. */
export function testAgent(release: ReleaseName, instance: () => InstanceWithSandbox): void {
  describe('as the tool of an AI Agent', () => {
    let model: ChatModel;
    let modelAccount: StoredCredential;
    before(async () => {
      model = await startChatModel();
      modelAccount = await instance().rest.createCredential('Model', 'openAiApi', {
        apiKey: 'made-up',
        url: model.url,
        header: false,
      });
    });
    after(() => model.close());
    beforeEach(() => instance().sandbox.reset());

    /** Runs an agent with these tools, whose model gives these answers and then "Done.". */
    async function runAgent(tools: WorkflowNode[], answers: ModelAnswer[], account = instance().credential) {
      const { rest } = instance();
      model.script(...answers);
      const workflow = await rest.importWorkflow(agentWorkflow(release, 'Agent', tools), [account, modelAccount]);
      const execution = await rest.run(workflow, START);
      for (const key of [API_KEY, WRONG_KEY])
        assert.ok(!model.heard().includes(key) && !execution.error.includes(key), 'the key stays secret');
      return { execution, said: execution.runsOf(AGENT).at(-1)?.outputs[0]?.[0]?.json.output };
    }

    const call = (name: string, input: JsonObject): ModelAnswer => ({ calls: [{ tool: name, input }] });
    const send = (text: string, phone = PHONE): ModelAnswer => call(SEND_TOOL, { Phone: phone, Message: text });
    const sent = () => instance().sandbox.messages();
    const sentTexts = () => sent().map(({ message }) => message);
    const lastResult = (): unknown => JSON.parse(model.results().at(-1) ?? 'null');

    test('The tools explain themselves to the model', async () => {
      await runAgent(UNTOUCHED, []);
      assertToolsExplainThemselves(model.offered());
    });

    test('The tool of an agent gets the balance', async () => {
      const { said } = await runAgent(UNTOUCHED, [call(BALANCE_TOOL, {}), { text: 'There are credits left.' }]);
      assert.deepEqual(lastResult(), [{ credits: 1_000_000, user_id: 4711, user_name: 'Sandbox User' }]);
      assert.equal(said, 'There are credits left.');
    });

    test('The tool of an agent sends a message to the number as the model writes it', async () => {
      const { said } = await runAgent(UNTOUCHED, [send('Your order is on its way.', '+44 (0)7700 900-123')]);
      const [message, ...more] = sent();
      assert.equal(more.length, 0);
      assert.equal(message?.phone, PHONE);
      assert.equal(message.message, 'Your order is on its way.');
      assert.equal(message.endpoint, 'send');
      const [result] = asObjects(lastResult(), 'result');
      assert.equal(result?.message_id, message.id);
      assert.equal(result.status, 'sent');
      assert.equal(said, 'Done.');
    });

    test('The tool of an agent sends a list with one request', async () => {
      const messages = ['one', 'two', 'three'].map((message, index) => ({ phone: `44770090012${index}`, message }));
      await runAgent(UNTOUCHED, [call(BULK_TOOL, { Messages: messages })]);
      assert.deepEqual(
        sent().map(({ phone, message }) => ({ phone, message })),
        messages,
      );
      assert.equal(new Set(sent().map(({ request }) => request)).size, 1);
      assert.equal(asArray(lastResult(), 'result').length, 3);
    });

    test('The tool sends what the user has fixed, and the model fills in the rest', async () => {
      const fixed = tool('Tell the boss', { ...SEND, phone: PHONE });
      await runAgent([fixed], [call('Tell_the_boss', { Message: 'Done for today.' })]);
      assert.deepEqual(
        sent().map(({ phone, message }) => [phone, message]),
        [[PHONE, 'Done for today.']],
      );
    });

    test('Two calls send two texts, together or one after the other', async () => {
      const together = ['one', 'two'].map((Message) => ({ tool: SEND_TOOL, input: { Phone: PHONE, Message } }));
      await runAgent(UNTOUCHED, [{ calls: together }, send('three')]);
      // n8n 2.35 starts with the last of the calls that come together.
      assert.deepEqual(sentTexts(), release === CURRENT ? ['one', 'two', 'three'] : ['two', 'one', 'three']);
    });

    test('A text that is called for twice is sent twice', async () => {
      const together = [1, 2].map(() => ({ tool: SEND_TOOL, input: { Phone: PHONE, Message: 'again' } }));
      await runAgent(UNTOUCHED, [{ calls: together }, send('again')]);
      assert.deepEqual(sentTexts(), ['again', 'again', 'again']);
    });

    test('With Send Once, Across Executions, a text that is called for twice is sent once', async () => {
      const options = { duplicateMessages: 'sendOnceEver' };
      const boss = tool('Tell the boss', { ...SEND, phone: PHONE, options });
      const tell = call('Tell_the_boss', { Message: 'Done for today.' });
      await runAgent([boss], [tell, tell]);
      assert.deepEqual(sentTexts(), ['Done for today.']);
      const [second] = asObjects(lastResult(), 'the result of the second call');
      assert.deepEqual([second?.status, second?.sent_before], ['skipped', true]);
    });

    for (const { name, input, reported, prepare, wrongKey } of REFUSALS) {
      test(`The model gets an error that it can act on: ${name}`, async () => {
        const { sandbox, credential } = instance();
        prepare?.(sandbox);
        const account = wrongKey
          ? await instance().storeAccount({ url: sandbox.url, apiKey: WRONG_KEY, name: 'Wrong' })
          : credential;
        const { said } = await runAgent(UNTOUCHED, [call(SEND_TOOL, input)], account);
        const text = String(model.results().at(-1));
        assert.equal(said, 'Done.');
        for (const part of reported) assert.match(text, part);
        assert.deepEqual(sandbox.messages(), []);
      });
    }

    test('As an ordinary tool, the node asks nobody: the model gets an error, and nothing is sent', async () => {
      const asking = { resource: 'message', operation: 'sendAndWait', sendTo: PHONE, message: 'Refund?' };
      await runAgent([tool('Ask the boss', asking)], [call('Ask_the_boss', {})]);
      const text = String(model.results().at(-1));
      assert.match(text, /does not work as a tool that a model calls.*add this node as a human review step/);
      assert.deepEqual(instance().sandbox.requests(), []);
    });

    test('With On Error: Continue, the model gets the error and corrects its call', async () => {
      const continuing = UNTOUCHED.map((node) => ({ ...node, onError: 'continueRegularOutput' }));
      const { said } = await runAgent(continuing, [send('Hello', '07700 900123'), send('Hello')]);
      const [first] = model.results().map((result) => asObjects(JSON.parse(result), 'result'));
      assert.match(String(first?.[0]?.error), /country code is missing/);
      const details = asObject(first?.[0]?.details, 'details');
      assert.deepEqual([details.code, details.outcome], ['INVALID_PHONE', 'not_sent']);
      assert.match(String(details.description), /Replace the 0 with the country code/);
      assert.deepEqual(sentTexts(), ['Hello']);
      assert.equal(said, 'Done.');
    });

    test('When a list is sent in part, the model gets to know what to send again', async () => {
      instance().sandbox.setFaults([
        {
          kind: 'status',
          status: 422,
          code: 'VALIDATION_ERROR',
          on: 'bulk',
          after: 1,
          details: [{ field: 'messages.0.message', message: 'No links' }],
        },
      ]);
      const singly = tool('Send_list', { ...SEND_BULK, requestOptions: { batching: { batch: { batchSize: 1 } } } });
      const messages = ['one', 'two', 'three'].map((message) => ({ phone: PHONE, message }));
      await runAgent([singly], [call('Send_list', { Messages: messages })]);
      const text = String(model.results().at(-1));
      assert.match(text, /service rejected the text of this message.*No links/);
      assert.match(text, /Entries that were sent: 0\. Entries that were not sent: 1-2\. Entries are counted from 0/);
      assert.deepEqual(sentTexts(), ['one']);
    });

    for (const retryOnFail of [false, true]) {
      test(`A message that may have been sent is not sent again ${retryOnFail ? 'with' : 'without'} Retry On Fail`, async () => {
        instance().sandbox.setFaults([{ kind: 'reset-after', times: 10 }]);
        const tools = UNTOUCHED.map((node) => ({ ...node, retryOnFail, waitBetweenTries: 10 }));
        await runAgent(tools, [send('Hello')]);
        const text = String(model.results().at(-1));
        assert.match(text, /may have been sent: check with the recipient/);
        assert.match(text, /Do not call this tool again until it is clear/);
        assert.deepEqual(sentTexts(), ['Hello']);
      });
    }
  });
}
