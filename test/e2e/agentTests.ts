import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { asArray, type JsonObject } from '../../demo/json';
import { CURRENT, type ReleaseName } from '../../demo/releases';
import type { StoredCredential } from '../../demo/rest';
import { type ChatModel, startChatModel } from './chatModel';
import type { ModelAnswer } from './chatProtocol';
import { REFUSALS } from './refusals';
import { KEY, type Stage, stopped } from './stage';
import { assertToolsExplainThemselves, BALANCE_TOOL, BULK_TOOL, SEND_TOOL, UNTOUCHED } from './toolTexts';
import { AGENT, agentWorkflow, SEND, SEND_BULK, tool } from './toolWorkflow';
import { START, type WorkflowNode } from './workflow';

const PHONE = '447700900123';
const WRONG_KEY = 'another-made-up-key-9876543210';

/** What the node does as the tool of an AI Agent, whose model is a stand-in that calls what a test wants called. */
export function testAgent(release: ReleaseName, stage: () => Stage): void {
  describe('the tool of an AI Agent', () => {
    let model: ChatModel;
    let modelAccount: StoredCredential;
    before(async () => {
      model = await startChatModel();
      modelAccount = await stage().rest.createCredential('Model', 'openAiApi', {
        apiKey: 'made-up',
        url: model.url,
        header: false,
      });
    });
    after(async () => await model.close());
    beforeEach(() => stage().sandbox.reset());

    /** Runs an agent with these tools, whose model gives these answers and then "Done.". */
    async function runAgent(tools: WorkflowNode[], answers: ModelAnswer[], account = stage().credential) {
      const { rest } = stage();
      model.script(...answers);
      const workflow = await rest.importWorkflow(agentWorkflow(release, 'Agent', tools), [account, modelAccount]);
      const execution = await rest.waitForExecution(await rest.run(workflow, START), {
        seconds: 60,
        signal: stopped.signal,
      });
      for (const key of [KEY, WRONG_KEY])
        assert.ok(!model.heard().includes(key) && !execution.error.includes(key), 'the key stays secret');
      return { execution, said: execution.runsOf(AGENT).at(-1)?.outputs[0]?.[0]?.json.output };
    }

    const call = (name: string, input: JsonObject): ModelAnswer => ({ calls: [{ tool: name, input }] });
    const send = (text: string, phone = PHONE): ModelAnswer => call(SEND_TOOL, { Phone: phone, Message: text });
    const sentTexts = () =>
      stage()
        .sandbox.messages()
        .map(({ message }) => message);
    const lastResult = (): unknown => JSON.parse(model.results().at(-1) ?? 'null');

    test('its model is told what it does and what to give it', async () => {
      await runAgent(UNTOUCHED, []);
      assertToolsExplainThemselves(model.offered());
    });

    test('gets the balance', async () => {
      const { said } = await runAgent(UNTOUCHED, [call(BALANCE_TOOL, {}), { text: 'There are credits left.' }]);
      assert.deepEqual(lastResult(), [{ credits: 1_000_000, user_id: 4711, user_name: 'Sandbox User' }]);
      assert.equal(said, 'There are credits left.');
    });

    test('sends a message to the number as the model writes it', async () => {
      const { said } = await runAgent(UNTOUCHED, [send('Your order is on its way.', '+44 (0)7700 900-123')]);
      const [sent, ...more] = stage().sandbox.messages();
      assert.equal(more.length, 0);
      assert.equal(sent?.phone, PHONE);
      assert.equal(sent.message, 'Your order is on its way.');
      assert.equal(sent.endpoint, 'send');
      const [result] = asArray(lastResult(), 'result') as JsonObject[];
      assert.equal(result?.message_id, sent.id);
      assert.equal(result.status, 'sent');
      assert.equal(said, 'Done.');
    });

    test('sends a list with one request', async () => {
      const messages = ['one', 'two', 'three'].map((message, index) => ({ phone: `44770090012${index}`, message }));
      await runAgent(UNTOUCHED, [call(BULK_TOOL, { Messages: messages })]);
      assert.deepEqual(
        stage()
          .sandbox.messages()
          .map(({ phone, message }) => ({ phone, message })),
        messages,
      );
      assert.equal(
        new Set(
          stage()
            .sandbox.messages()
            .map(({ request }) => request),
        ).size,
        1,
      );
      assert.equal(asArray(lastResult(), 'result').length, 3);
    });

    test('sends what the user fixed, and lets the model fill in the rest', async () => {
      const fixed = tool('Tell the boss', { ...SEND, phone: PHONE });
      await runAgent([fixed], [call('Tell_the_boss', { Message: 'Done for today.' })]);
      assert.deepEqual(
        stage()
          .sandbox.messages()
          .map(({ phone, message }) => [phone, message]),
        [[PHONE, 'Done for today.']],
      );
    });

    test('two calls send two texts, together or one after the other', async () => {
      const together = ['one', 'two'].map((Message) => ({ tool: SEND_TOOL, input: { Phone: PHONE, Message } }));
      await runAgent(UNTOUCHED, [{ calls: together }, send('three')]);
      // n8n 2.0 begins with the last of the calls that come together.
      assert.deepEqual(sentTexts(), release === CURRENT ? ['one', 'two', 'three'] : ['two', 'one', 'three']);
    });

    test('the same text called for twice is sent twice', async () => {
      const together = [1, 2].map(() => ({ tool: SEND_TOOL, input: { Phone: PHONE, Message: 'again' } }));
      await runAgent(UNTOUCHED, [{ calls: together }, send('again')]);
      assert.deepEqual(sentTexts(), ['again', 'again', 'again']);
    });

    for (const { name, input, told, prepare, wrongKey } of REFUSALS) {
      test(`its error can be acted on: ${name}`, async () => {
        const { rest, sandbox, credential } = stage();
        prepare?.(sandbox);
        const account = wrongKey
          ? await rest.createCredential('Wrong', 'messagingSendApi', {
              baseUrl: `${sandbox.url}/v1`,
              apiKey: WRONG_KEY,
            })
          : credential;
        const { execution, said } = await runAgent(UNTOUCHED, [call(SEND_TOOL, input)], account);
        // n8n 2.0 ends the execution, and the model never hears of it.
        const text = release === CURRENT ? String(model.results().at(-1)) : execution.error;
        assert.equal(said, release === CURRENT ? 'Done.' : undefined);
        for (const part of told) assert.match(text, part);
        assert.deepEqual(sandbox.messages(), []);
      });
    }

    test('a model that is told of an error corrects its call, with On Error: Continue on every release', async () => {
      const continuing = UNTOUCHED.map((node) => ({ ...node, onError: 'continueRegularOutput' }));
      const { said } = await runAgent(continuing, [send('Hello', '07700 900123'), send('Hello')]);
      const [first] = model.results().map((result) => asArray(JSON.parse(result), 'result') as JsonObject[]);
      assert.match(String(first?.[0]?.error), /country code is missing/);
      const details = first?.[0]?.details as JsonObject;
      assert.deepEqual([details.code, details.outcome], ['INVALID_PHONE', 'not_sent']);
      assert.match(String(details.description), /Put the country code in place of the 0/);
      assert.deepEqual(sentTexts(), ['Hello']);
      assert.equal(said, 'Done.');
    });

    test('of a list that went out in part, the model is told what to send again', async () => {
      stage().sandbox.setFaults([
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
      const { execution } = await runAgent([singly], [call('Send_list', { Messages: messages })]);
      const text = release === CURRENT ? String(model.results().at(-1)) : execution.error;
      assert.match(text, /does not accept the text of this message.*No links/);
      assert.match(text, /Entries that were sent: 0\. Entries that were not sent: 1-2\. Entries are counted from 0/);
      assert.deepEqual(sentTexts(), ['one']);
    });

    for (const retryOnFail of [false, true]) {
      test(`a message that may have gone out is not sent again${retryOnFail ? ', with Retry On Fail' : ''}`, async () => {
        stage().sandbox.setFaults([{ kind: 'reset-after', times: 10 }]);
        const tools = UNTOUCHED.map((node) => ({ ...node, retryOnFail, waitBetweenTries: 10 }));
        const { execution } = await runAgent(tools, [send('Hello')]);
        const text = release === CURRENT ? String(model.results().at(-1)) : execution.error;
        assert.match(text, /may have been sent: check with the recipient/);
        assert.match(text, /Do not call this again before that is clear/);
        assert.deepEqual(sentTexts(), ['Hello']);
      });
    }
  });
}
