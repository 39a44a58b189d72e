import path from 'node:path';

import { Command } from 'commander';

import { addPortFlags, findPorts, type PortFlags } from '../tools/cli/ports';
import { EXAMPLE_CONTACTS } from '../tools/n8n/examples/contacts';
import { CACHE_VARIABLE } from '../tools/n8n/install';
import { CURRENT } from '../tools/n8n/releases';

/** What the command line asks for. */
export interface DemoOptions {
  /** End after the run, instead of staying up for a person. */
  exit: boolean;
  ports: { n8n: number; sandbox: number };
  contactsFile: string;
  keepData: boolean;
}

/** Reads the command line; a wrong one ends the process with a line that names what is wrong. */
export async function readOptions(argv: string[]): Promise<DemoOptions> {
  const command = new Command('npm run demo --')
    .description(`Runs the contacts example in real n8n ${CURRENT} against the sandbox.`)
    .option('--exit', 'exit after the run, with exit code 0 if the workflow succeeded', false)
    .option('--contacts <file>', 'your own list, a CSV file with the columns name, phone, city, appointment')
    .option('--keep', "keep the folder with n8n's data", false)
    .addHelpText('after', `\nn8n is installed once, in a cache folder; ${CACHE_VARIABLE} names another one.`)
    .allowExcessArguments(false);
  const flags = addPortFlags(command, '; with --exit a free one')
    .parse(argv)
    .opts<PortFlags & { exit: boolean; contacts?: string; keep: boolean }>();
  return {
    exit: flags.exit,
    ports: await findPorts(flags, flags.exit),
    contactsFile: flags.contacts === undefined ? EXAMPLE_CONTACTS : path.resolve(flags.contacts),
    keepData: flags.keep,
  };
}
