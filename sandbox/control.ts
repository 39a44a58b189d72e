import type { FastifyInstance } from 'fastify';

import { failure, Refusal } from './answers';
import { checkFaults } from './faultCheck';
import type { SandboxState } from './state';

const PAGE = { type: 'integer', minimum: 1, maximum: 1000 } as const;

/** The control API: what was sent and requested, credits, faults. Needs no key, so it belongs on a private address. */
export function registerControl(app: FastifyInstance, state: SandboxState): void {
  registerReads(app, state);
  registerFaults(app, state);

  app.post('/reset', async () => {
    state.reset();
    return describe(state);
  });

  app.post<{ Body: { credits: number; key?: string } }>(
    '/credits',
    {
      schema: {
        body: {
          type: 'object',
          required: ['credits'],
          properties: { credits: { type: 'integer', minimum: 0 }, key: { type: 'string' } },
        },
      },
    },
    async ({ body }) => {
      setCredits(state, body.credits, body.key);
      return describe(state);
    },
  );
}

/** Sets the balance of the key with this label, or of every key. */
export function setCredits({ accounts }: SandboxState, credits: number, label?: string): void {
  const chosen = accounts.all.filter((account) => label === undefined || account.label === label);
  if (chosen.length === 0)
    throw new Refusal(failure(404, { code: 'NOT_FOUND', message: `No key is labelled ${label}` }));
  for (const account of chosen) account.credits = credits;
}

function registerReads(app: FastifyInstance, state: SandboxState): void {
  app.get('/state', async () => describe(state));

  app.get<{ Querystring: { after: number; limit: number } }>(
    '/messages',
    { schema: { querystring: query({ after: { type: 'integer', default: 0 }, limit: { ...PAGE, default: 100 } }) } },
    async ({ query: { after, limit } }) => {
      const messages = state.messages.page(after, limit);
      return { messages, total: state.messages.total, next_after: messages.at(-1)?.id ?? after };
    },
  );

  app.get<{ Querystring: { limit: number } }>(
    '/requests',
    { schema: { querystring: query({ limit: { ...PAGE, default: 100 } }) } },
    async ({ query: { limit } }) => ({ requests: state.requests.list(limit), total: state.requests.total }),
  );

  app.get<{ Querystring: { search: string; limit: number } }>(
    '/conversations',
    { schema: { querystring: query({ search: { type: 'string', default: '' }, limit: { ...PAGE, default: 300 } }) } },
    async ({ query: { search, limit } }) => ({
      conversations: state.messages.conversations(search, limit),
      total: state.messages.phones,
    }),
  );

  app.get<{ Params: { phone: string }; Querystring: { limit: number } }>(
    '/conversations/:phone',
    { schema: { querystring: query({ limit: { ...PAGE, default: 200 } }) } },
    async ({ params: { phone }, query: { limit } }) => ({
      messages: state.messages.conversation(phone, limit),
      total: state.messages.countTo(phone),
    }),
  );
}

function registerFaults(app: FastifyInstance, state: SandboxState): void {
  app.get('/faults', async () => ({ faults: state.faults.progress() }));

  app.put('/faults', async ({ body }) => {
    try {
      state.faults.set(checkFaults(body));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new Refusal(failure(422, { code: 'VALIDATION_ERROR', message }));
    }
    return { faults: state.faults.progress() };
  });

  app.delete('/faults', async () => {
    state.faults.set([]);
    return { faults: [] };
  });
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

function query(properties: Record<string, object>): object {
  return { type: 'object', properties };
}
