import '../tools/cli/requirements';

import { Command } from 'commander';

import { runCommand } from '../tools/cli/command';
import { runSession } from '../tools/cli/session';
import { CACHE_VARIABLE, INSTALLATION } from '../tools/n8n/install';
import { CURRENT, N8N_VARIABLE } from '../tools/n8n/releases';
import { runExample } from './run';

const EDITOR_NEEDS = `installs n8n ${CURRENT} once: ${INSTALLATION}`;

const { editor, exit, build } = new Command('npm run demo --')
  .description(
    "Runs the contacts example against the sandbox: twice in n8n's own engine, or once in real n8n with its editor.",
  )
  .option('--editor', `real n8n with its editor (${EDITOR_NEEDS})`, false)
  .option('--exit', 'exit after the run; the default without a terminal', !process.stdout.isTTY)
  .option('--no-exit', 'stay up until Ctrl-C, without a terminal too')
  .option('--no-build', 'without --editor: run what is in dist/ already')
  .addHelpText(
    'after',
    `\nWithout --editor, this needs nothing but Node and the packages of this checkout. With it, n8n is installed in a cache
folder, which ${CACHE_VARIABLE} names; ${N8N_VARIABLE} names a command that starts another n8n instead.`,
  )
  .allowExcessArguments(false)
  .parse()
  .opts<{ editor: boolean; exit: boolean; build: boolean }>();

void runSession(async (session) => {
  const { say, signal } = session;
  if (!editor && build) {
    say('Building this package');
    await runCommand('npm', ['run', 'build'], { signal });
  }
  // Only now, because n8n's engine takes seconds to load, and loads what is built.
  const { start } = editor ? await import('./n8n') : await import('./engine');
  const demo = await start(session);
  let isSuccess = true;
  for (const what of demo.runs) {
    say(what);
    const { execution, report } = await runExample(demo);
    say(`\n${report}\n`);
    isSuccess &&= execution.status === 'success';
    signal.throwIfAborted();
  }
  if (!editor) say(`To see it in n8n's editor: npm run demo -- --editor (${EDITOR_NEEDS})`);
  if (exit) return isSuccess ? 0 : 1;

  say(`${demo.addresses}\n\nPress Ctrl-C to stop.`);
  await demo.stayUp();
  say('\nStopping');
  return 0;
});
