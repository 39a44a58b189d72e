import { asObject, asObjects, asString, type JsonObject } from '../../tools/json';

/** A model's answer: a text, which ends the conversation, or calls of tools. */
export type ModelAnswer = { text: string } | { calls: ToolCall[] };

export interface ToolCall {
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
export interface ChatProtocol {
  path: string;
  offered: (body: JsonObject) => OfferedTool[];
  /** The results of the tool calls so far. */
  results: (body: JsonObject) => string[];
  /** @param id  makes the ids in the answer its own */
  answer: (answer: ModelAnswer, id: string) => JsonObject;
}

/** The newer interface, which n8n uses by default. */
export const RESPONSES: ChatProtocol = {
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
export const CHAT_COMPLETIONS: ChatProtocol = {
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
