import { type N8nRest, type StoredCredential } from './rest';

/** What a visitor enters if an example asks for a user and a password. */
export const VISITOR = { username: 'reception', password: 'made-up-password' };

/** The header that a program sends with a call of an example's webhook. */
export const CALLER = { name: 'X-Api-Key', value: 'made-up-secret' };

/** The token that a client of an example's MCP server sends. */
export const MCP_TOKEN = 'made-up-token';

/** Stores the credentials that the examples name, apart from the messaging service's. */
export async function storeExampleCredentials(
  rest: N8nRest,
  modelUrl: string,
  mailPort = 25,
): Promise<StoredCredential[]> {
  return [
    await rest.createCredential('Basic Auth account', 'httpBasicAuth', {
      user: VISITOR.username,
      password: VISITOR.password,
    }),
    await rest.createCredential('Header Auth account', 'httpHeaderAuth', CALLER),
    await rest.createCredential('Bearer Auth account', 'httpBearerAuth', { token: MCP_TOKEN }),
    await rest.createCredential('OpenAI account', 'openAiApi', { apiKey: 'made-up', url: modelUrl, header: false }),
    await rest.createCredential('SMTP account', 'smtp', {
      ...{ user: '', password: '', host: '127.0.0.1', port: mailPort },
      ...{ secure: false, disableStartTls: true, hostName: '' },
    }),
    await rest.createCredential('Google Sheets account', 'googleSheetsOAuth2Api', {
      clientId: 'made-up',
      clientSecret: 'made-up',
    }),
  ];
}
