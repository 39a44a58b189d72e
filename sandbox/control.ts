import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';

import { failure, Refusal } from './answers';
import { check, InvalidInput } from './check';
import { FAULTS } from './faults';
import type { SandboxState } from './state';

const whole = z.coerce.number().int();
const limit = whole.min(1).max(1000);

const MESSAGES_QUERY = z.object({ after: whole.default(0), limit: limit.default(100) });
const REQUESTS_QUERY = z.object({ limit: limit.default(100) });
const CONVERSATIONS_QUERY = z.object({ search: z.string().default(''), limit: limit.default(300) });
const CONVERSATION_QUERY = z.object({ limit: limit.default(200) });
const CREDITS_BODY = z.object({ credits: whole.min(0), key: z.string().optional() });

/** The control API: what was sent and requested, credits, faults. Needs no key, so it belongs on a private address. */
export function registerControl(app: FastifyInstance, state: SandboxState): void {
  registerReads(app, state);
  registerFaults(app, state);

  app.post('/reset', () => {
    state.reset();
    return describe(state);
  });

  app.post('/credits', ({ body }) => {
    const { credits, key } = check(CREDITS_BODY, body);
    state.accounts.setCredits(credits, key);
    return describe(state);
  });
}

function registerReads(app: FastifyInstance, state: SandboxState): void {
  const { messages, requests } = state;

  app.get('/state', () => describe(state));

  app.get('/messages', ({ query }) => {
    const { after, limit } = check(MESSAGES_QUERY, query);
    const page = messages.page(after, limit);
    return { messages: page, total: messages.total, next_after: page.at(-1)?.id ?? after };
  });

  app.get('/requests', ({ query }) => {
    const { limit } = check(REQUESTS_QUERY, query);
    return { requests: requests.list(limit), total: requests.total };
  });

  app.get('/conversations', ({ query }) => {
    const { search, limit } = check(CONVERSATIONS_QUERY, query);
    return { conversations: messages.conversations(search, limit), total: messages.phones };
  });

  app.get<{ Params: { phone: string } }>('/conversations/:phone', ({ params: { phone }, query }) => {
    const { limit } = check(CONVERSATION_QUERY, query);
    return { messages: messages.conversation(phone, limit), total: messages.countTo(phone) };
  });
}

function registerFaults(app: FastifyInstance, { faults }: SandboxState): void {
  const progress = () => ({ faults: faults.progress() });

  app.get('/faults', progress);

  app.put('/faults', ({ body }) => {
    faults.set(readFaults(body));
    return progress();
  });

  app.delete('/faults', () => {
    faults.set([]);
    return progress();
  });
}

function readFaults(body: unknown) {
  try {
    return check(FAULTS, body, 'faults');
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new Refusal(failure(422, { code: 'VALIDATION_ERROR', message: error.message }));
  }
}

function describe({ accounts, messages, options, requests, resets }: SandboxState): object {
  const keys = accounts.all.map(({ label, credits, limiter }) => ({
    key: label,
    credits,
    /** Null for no limit. */
    requests_left: limiter?.look(options.now()).remaining ?? null,
  }));
  return {
    credits: keys[0]?.credits,
    requests_left: keys[0]?.requests_left,
    keys,
    messages: messages.total,
    conversations: messages.phones,
    requests: requests.total,
    answered: requests.completed,
    resets,
    limit: options.limit,
    window_seconds: options.windowSeconds,
    limiter: options.limiter,
  };
}
