/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { execFileSync } from 'node:child_process';

/** A key and a certificate for this machine that nobody has signed. */
export function selfSignedCertificate(): { readonly key: string; readonly cert: string } {
  const options = ['-newkey', 'rsa:2048', '-nodes', '-keyout', '-', '-subj', '/CN=127.0.0.1', '-days', '2'];
  const both = execFileSync('openssl', ['req', '-x509', ...options], { encoding: 'utf8', stdio: 'pipe' });
  return { key: both, cert: both };
}
