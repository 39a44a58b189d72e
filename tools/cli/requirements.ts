/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Import this first: it reports what this machine lacks in one line, before anything else breaks because of it. */

const OLDEST_NODE = { major: 20, minor: 19 };

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE.major || (major === OLDEST_NODE.major && minor < OLDEST_NODE.minor)) {
  refuse(
    `Node ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or newer is required; this is ${process.versions.node}. ` +
      'Install it from https://nodejs.org/en/download, or with: nvm install --lts',
  );
}
// n8n is ended by its process group, which Windows doesn't have.
if (process.platform === 'win32') refuse('This runs on Linux and macOS; on Windows, use WSL.');

function refuse(reason: string): never {
  console.error(`Failed: ${reason}`);
  process.exit(1);
}
