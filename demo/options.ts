import path from 'node:path';

import { Command } from 'commander';

import { addPortFlags, findPorts, findSandboxPort, type PortFlags } from '../tools/cli/ports';
import { EXAMPLE_CONTACTS } from '../tools/n8n/examples/contacts';
import { CACHE_VARIABLE } from '../tools/n8n/install';
import { CURRENT, N8N_VARIABLE, releaseOf } from '../tools/n8n/releases';

/** What the command line asks for. */
export type DemoOptions = {
  /** End after the run, instead of staying up for a person. */
  exit: boolean;
  contactsFile: string;
} & (
  | { kind: 'engine'; port: number; build: boolean }
  | { kind: 'editor'; ports: { n8n: number; sandbox: number }; keepData: boolean }
);

interface Flags extends PortFlags {
  editor: boolean;
  exit?: boolean;
  contacts?: string;
  build: boolean;
  keep: boolean;
}

/** What else the editor needs, in a line. */
export const EDITOR_NEEDS = `installs n8n ${CURRENT} once: ${releaseOf(CURRENT).gigabytes} GB, about 5 minutes`;

/** Reads the command line; a wrong one ends the process with a line that names what is wrong. */
export async function readOptions(argv: string[]): Promise<DemoOptions> {
  const command = new Command('npm run demo --')
    .description(
      "Runs the contacts example against the sandbox: twice in n8n's own engine, or once in real n8n with its editor.",
    )
    .option('--editor', `real n8n with its editor (${EDITOR_NEEDS})`, false)
    .option('--exit', 'exit after the run, with exit code 0 if the workflow succeeded; the default without a terminal')
    .option('--no-exit', 'stay up until Ctrl-C, without a terminal too')
    .option('--contacts <file>', 'your own list, a CSV file with the columns name, phone, city, appointment')
    .option('--no-build', 'run what is in dist/ already (not with --editor)')
    .option('--keep', "keep the folder with n8n's data (only with --editor)", false)
    .addHelpText(
      'after',
      `
Without --editor, this needs nothing but Node and "npm ci". With it, n8n is installed in a cache folder, which
${CACHE_VARIABLE} names; ${N8N_VARIABLE} names a command that starts another n8n instead.`,
    )
    .allowExcessArguments(false);
  const flags = addPortFlags(command, '; with --exit a free one').parse(argv).opts<Flags>();
  const { editor, exit = !process.stdout.isTTY, build, keep } = flags;
  if (editor && !build) command.error("error: '--no-build' is not for '--editor'");
  if (!editor && (keep || flags.n8nPort !== undefined)) {
    command.error(`error: '${keep ? '--keep' : '--n8n-port'}' is only for '--editor'`);
  }
  const contactsFile = flags.contacts === undefined ? EXAMPLE_CONTACTS : path.resolve(flags.contacts);
  return editor
    ? { kind: 'editor', exit, contactsFile, ports: await findPorts(flags, exit), keepData: keep }
    : { kind: 'engine', exit, contactsFile, port: await findSandboxPort(flags, exit), build };
}
