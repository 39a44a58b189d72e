import type {
  IAuthenticate,
  IAuthenticateRuleResponseCode,
  IAuthenticateRuleResponseSuccessBody,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow';

import { accountIn, BASE_URL_EXPRESSION } from '../nodes/MessagingSend/api/account';
import { FailureError, isFailure } from '../nodes/MessagingSend/failures/failure';
import { IS_FIXED } from '../nodes/MessagingSend/n8n/assumptions';

export class MessagingSendApi implements ICredentialType {
  name = 'messagingSendApi';

  displayName = 'Messaging Send API';

  icon: Icon = { light: 'file:../icons/messagingSend.light.svg', dark: 'file:../icons/messagingSend.dark.svg' };

  // The build replaces https://homepage.invalid/ with the homepage of package.json.
  documentationUrl = 'https://homepage.invalid/#credential';

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'e.g. https://api.example.com/v1',
      hint: 'Starts with https:// and ends in /v1 or /api/v1. In a test, ENOTFOUND means a typo, ECONNREFUSED a wrong port or a service that is down, EPROTO no HTTPS there.',
      description: 'From your account settings. The addresses that end in /v1 and in /api/v1 both work.',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      hint: 'From your account settings',
      description:
        'Each messaging instance has its own key and limit of 60 requests per minute. When you save, n8n tests the key by reading the balance.',
    },
    {
      displayName: 'Is Fixed',
      name: 'isFixed',
      type: 'hidden',
      default: IS_FIXED,
      description: 'Whether no other field is an expression, so that all items of a run have the same account',
    },
  ];

  // In code, because n8n would evaluate an expression for each request, which takes some milliseconds. The credential
  // test shows errors that are thrown here.
  authenticate: IAuthenticate = async (credential, request) => {
    const account = accountIn(credential);
    if (isFailure(account)) throw new FailureError(account);
    const headers = { ...request.headers, Authorization: `Bearer ${account.apiKey}` };
    return await Promise.resolve({ ...request, headers });
  };

  // The body says more than the status, so most rules look there. Rules of type responseCode only see the statuses under
  // `except`. A missing key makes no request.
  test: ICredentialTestRequest = {
    request: {
      baseURL: BASE_URL_EXPRESSION,
      url: '/user/balance',
      headers: { Accept: 'application/json' },
      disableFollowRedirect: true,
      ignoreHttpStatusErrors: { ignore: true, except: [404, 405, 429, 500, 502, 503, 504] },
    },
    // n8n reads both kinds of rules from one list, although its type allows only lists of one kind.
    rules: [
      bodyRule('error.code', 'INVALID_API_KEY', 'The API key is not valid. Copy it from your account settings.'),
      bodyRule(
        'success',
        false,
        'The service rejected the request. Copy the Base URL and the API key from your account settings.',
      ),
      bodyRule(
        'data.credits',
        undefined,
        'The response is not from the messaging service. Copy the Base URL from your account settings.',
      ),
      ...[404, 405].map((status) =>
        statusRule(status, 'The service does not know this address. Check the Base URL: it ends in /v1 or /api/v1.'),
      ),
      statusRule(
        429,
        'The rate limit is reached: the service allows 60 requests per minute for each API key. Wait a minute, then test again.',
      ),
      ...[500, 502, 503, 504].map((status) =>
        statusRule(status, `The service is not available (HTTP ${status}). Try again later.`),
      ),
    ] as IAuthenticateRuleResponseSuccessBody[],
  };
}

/** Fails the test if the answer has this value. The first matching rule counts. */
function bodyRule(key: string, value: unknown, message: string): IAuthenticateRuleResponseSuccessBody {
  return { type: 'responseSuccessBody', properties: { key, value, message } };
}

function statusRule(value: number, message: string): IAuthenticateRuleResponseCode {
  return { type: 'responseCode', properties: { value, message } };
}
