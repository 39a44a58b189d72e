/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Import this first: it reports what this machine lacks in one line, before anything else breaks because of it. */
import { satisfies } from 'semver';

import { engines } from '../../package.json';

// n8n is ended by its process group, which Windows doesn't have.
if (process.platform === 'win32') refuse('This runs on Linux and macOS; on Windows, use WSL.');
if (!satisfies(process.versions.node, engines.node)) {
  refuse(`Node ${engines.node} is required; this is ${process.versions.node}. Install it from https://nodejs.org`);
}

function refuse(reason: string): never {
  console.error(`Failed: ${reason}`);
  process.exit(1);
}
