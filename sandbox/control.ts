import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';

import { check } from './check';
import { FAULTS } from './faults';
import type { SandboxState } from './state';

const CREDITS = z.object({ credits: z.int().min(0), key: z.string().optional() });
const SHOWN = z.object({ search: z.string().default(''), phone: z.string().optional() });

/** How many entries of each list the inbox shows. */
const CONVERSATIONS = 300;
const BUBBLES = 200;
const REQUESTS = 60;

/** The control API: what was sent and requested, credits, faults. Needs no key, so it belongs on a private address. */
export function registerControl(app: FastifyInstance, state: SandboxState): void {
  app.get('/_sandbox/state', () => describe(state));
  app.get('/_sandbox/messages', () => ({ messages: state.messages.all }));
  app.get('/_sandbox/inbox', ({ query }) => {
    const { search, phone } = check(SHOWN, query);
    const conversations = state.messages.conversations(search, CONVERSATIONS);
    const shown = phone ?? conversations[0]?.phone ?? '';
    const chat = state.messages.byPhone.get(shown) ?? [];
    return {
      state: describe(state),
      conversations,
      chat: { phone: shown, count: chat.length, messages: chat.slice(-BUBBLES) },
      requests: state.requests.slice(-REQUESTS).reverse(),
    };
  });
  app.post('/_sandbox/reset', () => {
    state.reset();
    return describe(state);
  });
  app.post('/_sandbox/credits', ({ body }) => {
    const { credits, key } = check(CREDITS, body);
    state.setCredits(credits, key);
    return describe(state);
  });
  app.put('/_sandbox/faults', ({ body }) => {
    state.faults.set(check(FAULTS, body));
    return describe(state);
  });
}

/** Credits and requests of the first key. */
function describe(state: SandboxState): object {
  const { credits, limiter } = state.account();
  const { limit, windowSeconds, now } = state.options;
  return {
    credits,
    /** Null for no limit. */
    requests_left: limiter?.remaining(now()) ?? null,
    limit,
    window_seconds: windowSeconds,
    messages: state.messages.all.length,
    conversations: state.messages.byPhone.size,
    requests: state.requests.length,
  };
}
