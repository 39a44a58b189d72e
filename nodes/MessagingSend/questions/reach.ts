/** Loopback and unspecified addresses. */
const THIS_MACHINE = /^(?:localhost|.+\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/;

/** Private and link-local addresses, names without a dot, and the endings that are kept for local networks. */
const OWN_NETWORK =
  /^(?:10\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|192\.168\.[\d.]+|169\.254\.[\d.]+|\[f[cd][\da-f]{2}:.*\]|\[fe[89ab][\da-f]:.*\]|[^.:[]+|.+\.(?:local|internal|home\.arpa))$/;

/** Whose phones can open a link. The URL has its host in lower case, and IPv4 addresses of any form as four numbers. */
export function reachOf(link: string): 'thisMachine' | 'ownNetwork' | 'unknown' {
  const hostname = new URL(link).hostname.replace(/\.$/, '');
  if (THIS_MACHINE.test(hostname)) return 'thisMachine';
  return OWN_NETWORK.test(hostname) ? 'ownNetwork' : 'unknown';
}
