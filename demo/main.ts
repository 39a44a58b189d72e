/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import '../tools/cli/requirements';

import { Command } from 'commander';

import { runCommand } from '../tools/cli/command';
import { runSession, untilStopped } from '../tools/cli/session';

const { exit, build } = new Command('npm run demo --')
  .description("Runs the contacts example against the sandbox, twice, in n8n's own engine.")
  .option('--exit', 'exit after the runs; the default without a terminal', !process.stdout.isTTY)
  .option('--no-exit', 'stay up until Ctrl-C, without a terminal too')
  .option('--no-build', 'run what is in dist/ already')
  .allowExcessArguments(false)
  .parse()
  .opts<{ exit: boolean; build: boolean }>();

void runSession(async (session) => {
  const { say, signal } = session;
  if (build) {
    say('Building this package');
    await runCommand('npm', ['run', 'build'], { signal });
  }
  // Only now, because n8n's engine takes seconds to load, and loads what is built.
  const { start } = await import('./engine');
  const { run, name, inbox } = await start(session);
  say(`Running "${name}" in n8n's engine`);
  const first = await run();
  say(`\n${first.report}\n`);
  signal.throwIfAborted();
  say("Running it again: 'Duplicate Messages' is 'Send Once, Also in Later Runs'");
  const second = await run();
  say(`\n${second.report}\n`);
  say("To see it in n8n's editor: npm run dev");
  if (exit) return first.isSuccess && second.isSuccess ? 0 : 1;

  say(`  inbox     ${inbox}\n\nPress Ctrl-C to stop.`);
  await untilStopped(signal);
  say('\nStopping');
  return 0;
});
