import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { FastifyInstance } from 'fastify';

import { INBOX_PATH } from './recording';

/** Serves the inbox page. Its policy allows only the script and the style in it, known by their hashes. */
export function registerInbox(app: FastifyInstance): void {
  const page = readFileSync(join(__dirname, 'inbox.html'), 'utf8');
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(page, 'script')}'`,
    `style-src '${hashOf(page, 'style')}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

  app.get(INBOX_PATH, async (_request, reply) =>
    reply
      .headers({
        'content-security-policy': policy,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      .send(page),
  );
}

function hashOf(page: string, element: 'script' | 'style'): string {
  const content = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(page)?.[1];
  if (content === undefined) throw new Error(`inbox.html has no <${element}>`);
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}
