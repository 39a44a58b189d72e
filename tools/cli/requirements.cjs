/** Run before a command: says what this machine lacks in one line, before anything else breaks because of it. */
const { existsSync } = require('node:fs');

// n8n is ended by its process group, which Windows doesn't have.
if (process.platform === 'win32') refuse('This runs on Linux and macOS; on Windows, use WSL.');
// npm runs a script in the folder of its package.json.
if (!existsSync('node_modules/tsx')) {
  refuse("this checkout's packages are not installed. Install them: npm ci --ignore-scripts");
}
const { engines } = require('../../package.json');
if (!require('semver').satisfies(process.versions.node, engines.node)) {
  refuse(`Node ${engines.node} is required; this is ${process.versions.node}. Install it from https://nodejs.org`);
}

function refuse(reason) {
  console.error(`Failed: ${reason}`);
  process.exit(1);
}
