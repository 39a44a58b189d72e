import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

import { isObject } from '../../tools/json';

/** A mail that the server has received. */
export interface Mail {
  from: string;
  to: string;
  subject: string;
  text: string;
}

/** A local mail server that keeps every mail and delivers none. */
export interface MailServer {
  port: number;
  /** The mails that have arrived since the last {@link clear}, the oldest first. */
  mails: () => Mail[];
  clear: () => void;
  close: () => void;
}

/** Starts a {@link MailServer} that asks for no user and no encryption. */
export async function startMailServer(): Promise<MailServer> {
  let mails: Mail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    void converse(socket, (mail) => mails.push(mail));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: isObject(address) ? Number(address.port) : 0,
    mails: () => mails,
    clear: () => {
      mails = [];
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Speaks as much of SMTP as a client needs to leave its mails. */
async function converse(socket: Socket, receive: (mail: Mail) => void): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`);
  let data: string[] | undefined;
  say('220 mail.example.com');
  for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) {
    if (data === undefined) {
      const command = line.slice(0, 4).toUpperCase();
      if (command === 'DATA') data = [];
      say(command === 'DATA' ? '354 Go on' : command === 'QUIT' ? '221 Bye' : '250 OK');
    } else if (line === '.') {
      receive(readMail(data));
      data = undefined;
      say('250 OK');
    } else {
      data.push(line.replace(/^\.\./, '.'));
    }
  }
}

function readMail(lines: string[]): Mail {
  const end = lines.indexOf('');
  const header = (name: string) =>
    lines
      .slice(0, end)
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.replace(/^[^:]*:\s*/, '') ?? '';
  // "=" at the end of a line says that the line goes on.
  const text = lines
    .slice(end + 1)
    .join('\n')
    .replace(/=\n/g, '');
  return { from: header('from'), to: header('to'), subject: header('subject'), text: text.trim() };
}
