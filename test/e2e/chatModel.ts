import Fastify from 'fastify';

import { asObject, asObjects, asString, isObject, type JsonObject } from '../../tools/json';

/** A model's answer: a text, which ends the conversation, or calls of tools. */
export type ModelAnswer = { text: string } | { calls: ToolCall[] };

interface ToolCall {
  tool: string;
  input: JsonObject;
}

/** A tool as a model sees it. */
export interface OfferedTool {
  name: string;
  description: string;
  /** JSON schema of the input. */
  schema: JsonObject;
}

/** One of OpenAI's interfaces, as far as an agent uses it. */
interface ChatProtocol {
  path: string;
  offered: (body: JsonObject) => OfferedTool[];
  /** The results of the tool calls so far. */
  results: (body: JsonObject) => string[];
  /** @param id  makes the ids in the answer its own */
  answer: (answer: ModelAnswer, id: string) => JsonObject;
}

/** The newer interface, which n8n uses by default. */
const RESPONSES: ChatProtocol = {
  path: '/responses',
  offered: (body) => asObjects(body.tools ?? [], 'tools').map(readTool),
  results: (body) =>
    asObjects(body.input ?? [], 'input')
      .filter((entry) => entry.type === 'function_call_output')
      .map((entry) => asString(entry.output, 'output')),
  answer: (answer, id) => ({
    id: `resp_${id}`,
    object: 'response',
    created_at: seconds(),
    status: 'completed',
    model: 'made-up',
    output:
      'text' in answer
        ? [
            {
              type: 'message',
              id: `msg_${id}`,
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: answer.text, annotations: [] }],
            },
          ]
        : answer.calls.map(({ tool, input }, index) => ({
            type: 'function_call',
            id: `fc_${id}_${index}`,
            call_id: `call_${id}_${index}`,
            name: tool,
            arguments: JSON.stringify(input),
            status: 'completed',
          })),
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }),
};

/** The older interface, which most other providers have as well. */
const CHAT_COMPLETIONS: ChatProtocol = {
  path: '/chat/completions',
  offered: (body) => asObjects(body.tools ?? [], 'tools').map((tool) => readTool(asObject(tool.function, 'function'))),
  results: (body) =>
    asObjects(body.messages ?? [], 'messages')
      .filter((message) => message.role === 'tool')
      .map((message) => asString(message.content, 'content')),
  answer: (answer, id) => ({
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: seconds(),
    model: 'made-up',
    choices: [
      'text' in answer
        ? { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: answer.text } }
        : {
            index: 0,
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              content: null,
              tool_calls: answer.calls.map(({ tool, input }, index) => ({
                id: `call_${id}_${index}`,
                type: 'function',
                function: { name: tool, arguments: JSON.stringify(input) },
              })),
            },
          },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
};

function readTool(tool: JsonObject): OfferedTool {
  return {
    name: asString(tool.name, 'name'),
    description: asString(tool.description, 'description'),
    schema: asObject(tool.parameters, 'parameters'),
  };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** A local stand-in for a language model with OpenAI's interface: it gives the answers of a script. */
export interface ChatModel {
  /** The base URL to enter in n8n's credential. */
  url: string;
  /** Sets what it answers from now on, one after the other and then "Done.", and forgets what it was asked so far. */
  script: (...answers: ModelAnswer[]) => void;
  /** The tools that it was offered with the latest request. */
  offered: () => OfferedTool[];
  /** The results of its tool calls, as in the latest request, in the order of the calls. */
  results: () => string[];
  /** Everything that it was sent since {@link script}, word for word. */
  heard: () => string;
  close: () => Promise<void>;
}

/** Starts a {@link ChatModel} that speaks both of OpenAI's protocols. */
export async function startChatModel(): Promise<ChatModel> {
  let answers: ModelAnswer[] = [];
  let latest: { protocol: ChatProtocol; body: JsonObject } | undefined;
  let heard: string[] = [];
  let count = 0;

  const app = Fastify({ forceCloseConnections: true });
  for (const protocol of [CHAT_COMPLETIONS, RESPONSES]) {
    app.post(`/v1${protocol.path}`, async (request, reply) => {
      const body = asObject(request.body, 'the request to the model');
      heard.push(JSON.stringify(body));
      latest = { protocol, body };
      // n8n asks for a stream only where the trigger passes one on, such as a chat.
      if (body.stream === true)
        return await reply.status(400).send({ error: { message: 'this model does not stream' } });
      count += 1;
      return protocol.answer(answers.shift() ?? { text: 'Done.' }, `${count}`);
    });
  }
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  const port = isObject(address) ? String(address.port) : '';

  const asked = () => {
    if (latest === undefined) throw new Error('the model was not asked anything');
    return latest;
  };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    script: (...next) => {
      answers = next;
      latest = undefined;
      heard = [];
    },
    offered: () => asked().protocol.offered(asked().body),
    results: () => asked().protocol.results(asked().body),
    heard: () => heard.join('\n'),
    close: async () => await app.close(),
  };
}
