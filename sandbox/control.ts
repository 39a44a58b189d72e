import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';

import { check } from './check';
import { FAULTS } from './faults';
import type { SandboxState } from './state';

const whole = z.coerce.number().int();
const limit = whole.min(1).max(1000).default(100);

const PAGE = z.object({ after: whole.default(0), limit });
const CREDITS = z.object({ credits: whole.min(0), key: z.string().optional() });
const SHOWN = z.object({ search: z.string().default(''), phone: z.string().optional() });

/** How many entries of each list the inbox shows. */
const CONVERSATIONS = 300;
const BUBBLES = 200;
const REQUESTS = 60;

/** The control API: what was sent and requested, credits, faults. Needs no key, so it belongs on a private address. */
export function registerControl(app: FastifyInstance, state: SandboxState): void {
  const { faults, messages, requests } = state;
  const progress = () => ({ faults: faults.progress() });

  app.get('/state', () => describe(state));
  app.get('/messages', ({ query }) => {
    const { after, limit } = check(PAGE, query);
    return { messages: messages.page(after, limit), total: messages.total };
  });
  app.get('/inbox', ({ query }) => {
    const { search, phone } = check(SHOWN, query);
    const conversations = messages.conversations(search, CONVERSATIONS);
    const shown = phone ?? conversations[0]?.phone ?? '';
    const chat = messages.conversation(shown);
    return {
      state: describe(state),
      conversations,
      chat: { phone: shown, count: chat.length, messages: chat.slice(-BUBBLES) },
      requests: requests.list().slice(-REQUESTS).reverse(),
    };
  });
  app.post('/reset', () => {
    state.reset();
    return describe(state);
  });
  app.post('/credits', ({ body }) => {
    const { credits, key } = check(CREDITS, body);
    state.setCredits(credits, key);
    return describe(state);
  });
  app.get('/faults', progress);
  app.put('/faults', ({ body }) => {
    faults.set(check(FAULTS, body, 'faults'));
    return progress();
  });
}

/** Credits and requests of the first key. */
function describe(state: SandboxState): object {
  const { credits, limiter } = state.account();
  return {
    credits,
    /** Null for no limit. */
    requests_left: limiter?.look(state.options.now()).remaining ?? null,
    limit: state.options.limit,
    window_seconds: state.options.windowSeconds,
    messages: state.messages.total,
    conversations: state.messages.phones,
    requests: state.requests.total,
  };
}
