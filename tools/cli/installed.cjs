/** Run before a command that a newcomer starts with: what it is written in is among the packages that may be missing. */
const { existsSync } = require('node:fs');

// npm runs a script in the folder of its package.json.
if (!existsSync('node_modules/tsx')) {
  console.error("Failed: this checkout's packages are not installed. Install them: npm ci --ignore-scripts");
  process.exit(1);
}
