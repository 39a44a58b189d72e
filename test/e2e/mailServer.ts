/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';

import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** A local mail server that keeps every mail and delivers none. */
export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** Starts a {@link MailServer} that asks for no user and no encryption. */
export async function startMailServer() {
  let mails: Array<{ from: string; to: string; subject: string; text: string }> = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, _session, done) => {
      simpleParser(stream).then(({ from, to, subject = '', text = '' }) => {
        const recipients = [to ?? []].flat().map((address) => address.text);
        mails.push({ from: from?.text ?? '', to: recipients.join(', '), subject, text: text.trim() });
        done();
      }, done);
    },
  });
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    /** The mails that have arrived since `clear`, the oldest first. */
    mails: () => mails,
    clear: () => void (mails = []),
    close: () => server.close(),
  };
}
