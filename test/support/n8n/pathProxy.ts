import { createServer, request } from 'node:http';
import { type AddressInfo } from 'node:net';

import { type Session } from '../../../tools/cli/session';

/** The path below which a {@link startPathProxy} has n8n. */
export const PATH = '/tools/n8n';

/**
 * Starts a reverse proxy, as a company may have one, with n8n below {@link PATH}.
 * @param n8nUrl where n8n is
 * @param removesPath whether n8n gets requests without the path
 * @returns the proxy's address, without the path
 */
export async function startPathProxy(n8nUrl: string, removesPath: () => boolean, session: Session): Promise<string> {
  const { hostname, port } = new URL(n8nUrl);
  const server = createServer((incoming, answer) => {
    const { url = '', method, headers } = incoming;
    const path = removesPath() ? url.replace(PATH, '') : url;
    const outgoing = request({ hostname, port, path, method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  session.cleanup.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
