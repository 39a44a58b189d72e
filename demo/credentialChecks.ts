import { type Check, equal } from './checks';
import { API_KEY, type Stack } from './stack';

/** Tests the credential in n8n as a user would who makes one mistake at a time; each has to get its own answer. */
export async function checkCredentialTest({ rest, sandbox, credential }: Stack): Promise<Check[]> {
  const cases: Array<[name: string, baseUrl: string, apiKey: string, answer: string]> = [
    ['the right key', `${sandbox.url}/v1`, API_KEY, 'Connection successful!'],
    ['the alternative address with a slash at its end', `${sandbox.url}/api/v1/`, API_KEY, 'Connection successful!'],
    ['no key', `${sandbox.url}/v1`, ' ', 'The API key is missing. Enter the key from your account settings.'],
    [
      'a wrong key',
      `${sandbox.url}/v1`,
      'another',
      'The API key is not valid. Compare it with the one in your account settings.',
    ],
    [
      'a wrong address',
      `${sandbox.url}/v2`,
      API_KEY,
      'The address is wrong: the service has nothing there. The Base URL ends in /v1 or /api/v1.',
    ],
    [
      "an answer that is not this API's",
      `${sandbox.url}/?`,
      API_KEY,
      'What answers at this address is not the messaging service. Compare the Base URL with the one in your account settings.',
    ],
  ];
  const checks: Check[] = [];
  for (const [name, baseUrl, apiKey, answer] of cases) {
    const { message } = await rest.testCredential(credential, { baseUrl, apiKey });
    checks.push(equal(`the credential test with ${name}`, message, answer));
  }
  return checks;
}
