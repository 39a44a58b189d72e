import { type Command, InvalidArgumentError } from 'commander';
import getPort from 'get-port';

import { ExpectedError } from './errors';

const N8N_PORT = 5678;
const SANDBOX_PORT = 4010;

/** The flags of {@link addPortFlags}, as commander gives them. */
export interface PortFlags {
  n8nPort?: number;
  sandboxPort?: number;
}

/**
 * Adds the flags for the ports of n8n and the sandbox to a command.
 *
 * @param note  follows each default in the help text
 */
export function addPortFlags(command: Command, note = ''): Command {
  return command
    .option('--n8n-port <port>', `port of n8n (${N8N_PORT}${note})`, asPort)
    .option('--sandbox-port <port>', `port of the sandbox (${SANDBOX_PORT}${note})`, asPort);
}

/**
 * Finds the ports to use.
 *
 * @param takeAnyFree  for a port without a flag, take any that is free instead of the default
 * @throws ExpectedError when one is in use
 */
export async function findPorts(flags: PortFlags, takeAnyFree = false): Promise<{ n8n: number; sandbox: number }> {
  return {
    n8n: await findPort(flags.n8nPort ?? (takeAnyFree ? undefined : N8N_PORT), '--n8n-port'),
    sandbox: await findSandboxPort(flags, takeAnyFree),
  };
}

/** Finds the sandbox's port alone, as {@link findPorts} does. */
export async function findSandboxPort({ sandboxPort }: PortFlags, takeAnyFree = false): Promise<number> {
  return await findPort(sandboxPort ?? (takeAnyFree ? undefined : SANDBOX_PORT), '--sandbox-port');
}

async function findPort(wanted: number | undefined, flag: string): Promise<number> {
  const port = await getPort({ port: wanted });
  if (wanted === undefined || port === wanted) return port;
  throw new ExpectedError(`Port ${wanted} is in use. Choose another with ${flag}.`);
}

function asPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65535) return port;
  throw new InvalidArgumentError('It must be a number from 1 to 65535.');
}
