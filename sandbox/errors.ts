import { Readable } from 'node:stream';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { type Answer, ERROR_CODES, failure, Refusal } from './answers';

/** Every failure in the envelope of the document (2.4), also those that Fastify finds: bad JSON, huge bodies, … */
export function registerErrors(app: FastifyInstance): void {
  // Before the body is read: to an unknown path, a body of a type that can't be read is no 415.
  app.addHook('onRequest', async (request) => {
    if (request.is404) throw new Refusal(notFound(request));
  });
  app.setNotFoundHandler((request, reply) => sendAnswer(reply, notFound(request)));
  app.setErrorHandler((error, _request, reply) => sendAnswer(reply, answerToError(error)));
}

/** Sends an answer, with its headers over those the reply has already. */
export function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  reply.code(status).headers({ ...headers, 'content-length': Buffer.byteLength(body) });
  // Fastify gives a string a content type if it has none, but leaves a stream as it is.
  return reply.send('content-type' in headers ? body : Readable.from([Buffer.from(body)]));
}

/** The answer to an error on the way; one that nobody foresaw is a 500 and says nothing of the inside. */
export function answerToError(error: unknown): Answer {
  if (error instanceof Refusal) return error.answer;
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (!(error instanceof Error) || status >= 500) {
    return failure(500, { code: 'SERVER_ERROR', message: 'Unexpected server failure' });
  }
  return failure(status, { code: ERROR_CODES[status] ?? `HTTP_${status}`, message: error.message });
}

function notFound(request: FastifyRequest): Answer {
  return failure(404, { code: 'NOT_FOUND', message: `No such path: ${request.url.replace(/\?.*$/s, '')}` });
}
