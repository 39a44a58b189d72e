import Fastify from 'fastify';

import { asObject, isObject, type JsonObject } from '../../tools/json';
import { CHAT_COMPLETIONS, type ChatProtocol, type ModelAnswer, type OfferedTool, RESPONSES } from './chatProtocol';

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
