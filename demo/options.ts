import path from 'node:path';

import { Command, InvalidArgumentError } from 'commander';

import { EXAMPLE_CONTACTS } from './contacts';
import { CACHE_VARIABLE } from './install';
import { CURRENT } from './releases';
import type { Port } from './stack';

/** What the command line asks for. */
export interface DemoOptions {
  /** Check the outcome and end, instead of staying up for a person. */
  exit: boolean;
  ports: { n8n: Port; sandbox: Port };
  contactsFile: string;
  keepData: boolean;
}

const N8N_PORT = 5678;
const SANDBOX_PORT = 4010;

/** Reads the command line; a wrong one ends the process with a line that says what is wrong. */
export function readOptions(argv: string[]): DemoOptions {
  const command = new Command('npm run demo --')
    .description(`Runs the contacts example in real n8n ${CURRENT} against the sandbox.`)
    .option('--exit', 'check what came of it, end, and exit with 0 only if all is right', false)
    .option('--n8n-port <port>', `port of n8n (${N8N_PORT}; with --exit a free one)`, asPort)
    .option('--sandbox-port <port>', `port of the sandbox (${SANDBOX_PORT}; with --exit a free one)`, asPort)
    .option('--contacts <file>', "another list than the example's: CSV with columns name, phone, city, appointment")
    .option('--keep', "keep the folder with n8n's data", false)
    .addHelpText('after', `\nn8n is installed once, in a cache folder; ${CACHE_VARIABLE} names another one.`)
    .allowExcessArguments(false)
    .parse(argv);
  const flags = command.opts<{
    exit: boolean;
    n8nPort?: number;
    sandboxPort?: number;
    contacts?: string;
    keep: boolean;
  }>();
  return {
    exit: flags.exit,
    ports: {
      n8n: flags.n8nPort ?? (flags.exit ? 'free' : N8N_PORT),
      sandbox: flags.sandboxPort ?? (flags.exit ? 'free' : SANDBOX_PORT),
    },
    contactsFile: flags.contacts === undefined ? EXAMPLE_CONTACTS : path.resolve(flags.contacts),
    keepData: flags.keep,
  };
}

function asPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65535) return port;
  throw new InvalidArgumentError('It has to be a number from 1 to 65535.');
}
