import { once } from 'node:events';
import { type AddressInfo } from 'node:net';

import { type AddressObject, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

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
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, _session, done) => {
      simpleParser(stream).then(({ from, to, subject = '', text = '' }) => {
        mails.push({ from: textOf(from), to: textOf(to), subject, text: text.trim() });
        done();
      }, done);
    },
  });
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    mails: () => mails,
    clear: () => {
      mails = [];
    },
    close: () => server.close(),
  };
}

function textOf(addresses: AddressObject | AddressObject[] | undefined): string {
  return [addresses ?? []]
    .flat()
    .map(({ text }) => text)
    .join(', ');
}
