/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import Fastify from 'fastify';
import { z } from 'zod/v4';

import { type InstanceWithSandbox } from '../../sandbox/n8n/instance';
import { type JsonObject } from '../../tools/n8n/workflow';
import { whileTestsRun } from './instanceForTests';

type ModelAnswer = { text: string } | { calls: Array<{ tool: string; input: JsonObject }> };

/** What the model is asked. */
const ASKED = z.looseObject({
  stream: z.boolean().optional(),
  tools: z.array(z.object({ name: z.string() })).default([]),
  input: z.array(z.object({ type: z.string().optional(), output: z.string().optional() })).default([]),
});

/**
 * A local stand-in for a language model with OpenAI's interface: it gives the answers of a script, one after the other and
 * then "Done."
 */
export type ChatModel = Awaited<ReturnType<typeof startChatModel>>;

/** A model for the tests of a `describe`, and the credential that leads to it. */
export function modelForTests(instance: () => InstanceWithSandbox) {
  const model = whileTestsRun(startChatModel, ({ close }) => close());
  const account = whileTestsRun(async () => {
    const data = { apiKey: 'made-up', url: model().url, header: false };
    return await instance().rest.createCredential('Model', 'openAiApi', data);
  });
  return { model, account };
}

/** Starts a {@link ChatModel} with the newer of OpenAI's two interfaces, which n8n uses by default. */
export async function startChatModel() {
  let answers: ModelAnswer[] = [];
  let heard: string[] = [];
  const latest = () => ASKED.parse(JSON.parse(heard.at(-1) ?? '{}'));
  let count = 0;

  const app = Fastify({ forceCloseConnections: true });
  app.post('/v1/responses', async (request, reply) => {
    heard.push(JSON.stringify(request.body));
    // n8n asks for a stream only if the trigger passes one on, such as a chat.
    if (latest().stream === true)
      return await reply.status(400).send({ error: { message: 'this model does not stream' } });
    count += 1;
    return responseOf(answers.shift() ?? { text: 'Done.' }, `${count}`);
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    /** The base URL to enter in n8n's credential. */
    url: `${url}/v1`,
    /** Sets its next answers, and forgets what it was asked so far. */
    script: (...next: ModelAnswer[]) => {
      answers = next;
      heard = [];
    },
    /** The tools that it was offered with the latest request. */
    offered: () => latest().tools,
    /** The results of its tool calls, as in the latest request, in the order of the calls. */
    results: () =>
      latest().input.flatMap(({ type, output }) => (type === 'function_call_output' ? [output ?? ''] : [])),
    /** Everything that it was sent since `script`, word for word. */
    heard: () => heard.join('\n'),
    close: async () => await app.close(),
  };
}

/** @param id  makes the ids in the answer its own */
function responseOf(answer: ModelAnswer, id: string): JsonObject {
  const status = 'completed';
  const output =
    'text' in answer
      ? [
          {
            ...{ type: 'message', id: `msg_${id}`, role: 'assistant', status },
            content: [{ type: 'output_text', text: answer.text, annotations: [] }],
          },
        ]
      : answer.calls.map(({ tool, input }, index) => ({
          ...{ type: 'function_call', id: `fc_${id}_${index}`, call_id: `call_${id}_${index}`, status },
          ...{ name: tool, arguments: JSON.stringify(input) },
        }));
  return {
    ...{ id: `resp_${id}`, object: 'response', created_at: Math.floor(Date.now() / 1000), status, model: 'made-up' },
    output,
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  };
}
