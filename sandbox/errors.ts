/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { Readable } from 'node:stream';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { type Answer, ERROR_CODES, failure, Refusal } from './answers';

/** Puts every failure in the document's envelope (2.4), even Fastify's own: bad JSON, huge bodies, … */
export function registerErrors(app: FastifyInstance): void {
  // Before the body is read: an unknown path is a 404, even if its body would be a 415.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) throw new Refusal(notFound(request));
    done();
  });
  app.setNotFoundHandler((request, reply) => sendAnswer(reply, notFound(request)));
  app.setErrorHandler((error, _request, reply) => sendAnswer(reply, answerToError(error)));
}

/** Sends an answer; its headers replace those that the reply already has. */
export function sendAnswer(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  reply.code(status).headers({ ...headers, 'content-length': Buffer.byteLength(body) });
  // Fastify adds a content type to a string without one, but not to a stream.
  return reply.send('content-type' in headers ? body : Readable.from([Buffer.from(body)]));
}

/** The answer to an error; an unexpected one is a 500 without details. */
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
