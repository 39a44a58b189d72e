import { requestParameters } from './contenders';
import { inTurn, type Options, over, overBefore, type Row } from './measurements';
import { RealN8n, sender } from './realN8n';
import { withSandbox } from './sandbox';

const FROM_CALL = { phone: '={{ $json.body.phone }}', message: '={{ $json.body.message }}' };
/** A call is short, so many of them make one figure. */
const CALLS = 60;

/** The time from a webhook call to its answer, one call at a time, with one Send and with HTTP Request in its place. */
export async function webhook({ rounds, own, before, session }: Options): Promise<Row[]> {
  return await withSandbox({}, async (sandbox) => {
    session.say('Webhook with one Send, or HTTP Request');
    const n8n = await RealN8n.start(own.tarball, sandbox, session);
    await n8n.publish('send', [sender('send', FROM_CALL)]);
    const parameters = requestParameters(`${sandbox.url}/v1/messages/send`, FROM_CALL);
    const request = { name: 'HTTP Request', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, parameters };
    await n8n.publish('request', [request]);
    const old = before && (await RealN8n.start(before.tarball, sandbox, session));
    await old?.publish('send', [sender('send', FROM_CALL)]);

    let calls = 0;
    const timed = (called: RealN8n, path: string) => async () => {
      const body = { phone: `4477${String(calls).padStart(8, '0')}`, message: 'Hello Made-up Person' };
      calls += 1;
      const started = performance.now();
      await called.call(path, body);
      return performance.now() - started;
    };
    const contenders = { send: timed(n8n, 'send'), request: timed(n8n, 'request') };
    const times = await inTurn(
      { ...contenders, ...(old && { before: timed(old, 'send') }) },
      rounds * CALLS,
      session,
      CALLS,
    );
    await sandbox.expectOnce(calls);
    return [
      { what: 'one Send', unit: 'ms', rounds: times.send },
      { what: 'HTTP Request', unit: 'ms', rounds: times.request },
      { what: 'one Send over HTTP Request', unit: '', rounds: over(times.send, times.request), atMost: 1.1 },
      ...overBefore('one Send', times.send, times.before),
    ];
  });
}
