/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { FastifyInstance } from 'fastify';

const FILES = [
  { url: '/', file: 'inbox.html', type: 'text/html' },
  { url: '/_sandbox/inbox.css', file: 'inbox.css', type: 'text/css' },
  { url: '/_sandbox/inbox.js', file: 'inbox.js', type: 'text/javascript' },
];

/** Serves the inbox page. Its policy runs only the page's own script, in case a message ever becomes markup. */
export function registerInbox(app: FastifyInstance): void {
  for (const { url, file, type } of FILES) {
    const content = readFileSync(path.join(__dirname, 'inbox', file), 'utf8');
    const headers = {
      'content-security-policy': "default-src 'self'; img-src data:",
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'no-store',
    };
    app.get(url, (_request, reply) => reply.headers(headers).send(content));
  }
}
