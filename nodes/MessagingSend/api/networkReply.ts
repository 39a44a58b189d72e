import type { Failure } from '../failures/failure';
import { isRecord, type JsonRecord } from './records';
import type { Reply } from './reply';

type Explanation = Pick<Failure, 'message' | 'description'>;

const RUN_AGAIN = 'Then run this again.';

// Told by where they arise: before a byte of the request has left.
const NEVER_REACHED: Partial<Record<string, Explanation>> = {
  ENOTFOUND: {
    message: 'The host in the Base URL does not exist',
    description: `Check the Base URL in the credential for a typing error. ${RUN_AGAIN}`,
  },
  EAI_AGAIN: {
    message: 'The name of the service could not be looked up',
    description: `Check the network and the name server of the machine that runs n8n. ${RUN_AGAIN}`,
  },
  ECONNREFUSED: {
    message: 'Nothing takes connections at the address of the service',
    description: `Check the Base URL in the credential, and whether the service (or the proxy) is running. ${RUN_AGAIN}`,
  },
  EHOSTUNREACH: {
    message: 'There is no way from n8n to the host of the service',
    description: `Check the network and the proxy of the machine that runs n8n. ${RUN_AGAIN}`,
  },
  ERR_INVALID_URL: {
    message: 'The Base URL is not an address',
    description: 'Enter it in the credential in the form https://host/v1.',
  },
};

const TLS: Explanation = {
  message: 'No secure connection to the service could be made: its certificate is not trusted',
  description: `Check the Base URL in the credential. For a service of your own with a certificate of its own, "Ignore SSL Issues" stands in this node's settings under Request Options. ${RUN_AGAIN}`,
};

const NOT_TLS: Explanation = {
  message: 'The service does not speak https at this address',
  description: `Check the Base URL in the credential: this one may have to begin with http://. ${RUN_AGAIN}`,
};

/** What can be otherwise a moment later; a wrong name or certificate stays as it is. */
const PASSING = /^(ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN)$/;

/**
 * The reply to a request that got no whole answer, told from the error that n8n's HTTP helper threw.
 * Only an error that can't arise once the request has left is `rejected`; all others are `uncertain`.
 */
export function networkReply(thrown: unknown): Reply {
  const causes = chain(thrown);
  // On a connection that stands, the way can be lost with the same codes as before it: EHOSTUNREACH, ENETDOWN.
  const underWay = causes.some(({ syscall }) => syscall === 'read' || syscall === 'write');
  const explanation = causes.map((cause) => neverReached(cause, underWay)).find((found) => found !== null);
  if (explanation) return rejected(codeOf(causes) ?? 'UNREACHABLE', explanation);

  const timedOut = causes.some(({ code }) => code === 'ECONNABORTED' || code === 'ETIMEDOUT');
  const stopped = causes.some(({ code }) => code === 'ERR_CANCELED');
  return {
    kind: 'uncertain',
    failure: {
      code: timedOut ? 'TIMEOUT' : stopped ? 'STOPPED' : 'CONNECTION_LOST',
      httpStatus: null,
      message: timedOut
        ? 'The service did not answer in time'
        : stopped
          ? 'The run was stopped while the request was on its way'
          : 'The connection to the service was lost before its answer came',
      description: timedOut
        ? "How long it may take stands in this node's settings under Request Options."
        : 'Check the network between n8n and the service.',
      scope: stopped ? 'run' : 'request',
    },
  };
}

function rejected(code: string, explanation: Explanation): Reply {
  return {
    kind: 'rejected',
    failure: { code: `UNREACHABLE_${code.slice(0, 48)}`, httpStatus: null, ...explanation, scope: 'run' },
    error: {},
    unreached: PASSING.test(code),
    retryAfter: null,
  };
}

function neverReached(error: JsonRecord, underWay: boolean): Explanation | null {
  const code = typeof error.code === 'string' ? error.code : '';
  const message = typeof error.message === 'string' ? error.message : '';
  if (underWay && /^E(HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|ADDRNOTAVAIL|CONNREFUSED)$/.test(code)) return null;
  if (/^(ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/.test(code)) return NEVER_REACHED.EHOSTUNREACH ?? null;
  if (/CERT|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/.test(code)) return TLS;
  if (
    /wrong version number|unsupported protocol|handshake failure|no protocols available/.test(message) &&
    code.startsWith('E')
  )
    return NOT_TLS;
  if (code === 'ETIMEDOUT' && error.syscall === 'connect') {
    return { message: 'No connection to the service could be made in time', description: RUN_AGAIN };
  }
  if (message.startsWith('Unsupported protocol')) return NEVER_REACHED.ERR_INVALID_URL ?? null;
  // n8n's own guards (credential's allowed domains, blocked addresses) refuse before they connect.
  if (error.name === 'UserError' || (typeof error.name === 'string' && error.name.startsWith('Ssrf'))) {
    return {
      message: 'n8n does not allow a request to this address',
      description: 'Ask whoever runs this n8n to allow the host of the service.',
    };
  }
  return Object.hasOwn(NEVER_REACHED, code) ? (NEVER_REACHED[code] ?? null) : null;
}

function codeOf(causes: JsonRecord[]): string | undefined {
  return causes.map(({ code }) => code).find((code): code is string => typeof code === 'string');
}

/** The error and its causes, outermost first: n8n wraps axios's error, which wraps Node's. */
function chain(thrown: unknown): JsonRecord[] {
  const causes: JsonRecord[] = [];
  for (let error = thrown; isRecord(error) && causes.length < 6; error = error.cause) {
    // The class is the name where `name` is the inherited "Error".
    causes.push(link(error));
  }
  // Several addresses were tried: what became of the connection stands in the single errors.
  const last = causes.at(-1)?.errors;
  if (Array.isArray(last)) causes.push(...last.filter(isRecord).map(link));
  return causes;
}

function link(error: JsonRecord): JsonRecord {
  const { code, message, syscall, cause, errors } = error;
  return { code, message, syscall, name: nameOf(error), cause, errors };
}

function nameOf(error: JsonRecord): unknown {
  const constructor: unknown = error.constructor;
  return typeof constructor === 'function' ? constructor.name : error.name;
}
