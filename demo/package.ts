import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { execa, ExecaError } from 'execa';
import { DemoFailure, systemCode } from './failure.js';

/** The folder of the checkout. */
export const PROJECT_FOLDER = path.resolve(import.meta.dirname, '..');

/**
 * Builds this package and packs it, as it would go to the registry.
 *
 * @param folder  where the tarball goes
 * @returns the path of the tarball
 */
export async function packPackage(folder: string, signal: AbortSignal): Promise<string> {
  await mkdir(folder, { recursive: true });
  await tool('npm', ['run', 'build'], signal);
  await tool('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], signal);
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new DemoFailure(`npm pack left no tarball in ${folder}`);
  return path.join(folder, tarball);
}

/**
 * Puts a packed package where n8n looks for installed community nodes.
 *
 * @param tarball     a result of {@link packPackage}
 * @param userFolder  what n8n gets as `N8N_USER_FOLDER`
 */
export async function placePackage(tarball: string, userFolder: string, signal: AbortSignal): Promise<void> {
  const target = path.join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-messaging-send');
  await mkdir(target, { recursive: true });
  // Everything in a tarball made by npm lies in one folder, "package".
  await tool('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'], signal);
}

async function tool(command: string, args: string[], signal: AbortSignal): Promise<void> {
  try {
    await execa(command, args, { cwd: PROJECT_FOLDER, stdin: 'ignore', all: true, cancelSignal: signal });
  } catch (failure) {
    signal.throwIfAborted();
    if (systemCode(failure) === 'ENOENT') throw new DemoFailure(`The command ${command} can't be found.`);
    const output = failure instanceof ExecaError ? String(failure.all ?? '').trim() : '';
    throw new DemoFailure(`"${command} ${args.slice(0, 2).join(' ')}" failed:\n${lastLines(output, 15)}`);
  }
}

function lastLines(text: string, count: number): string {
  return text.split('\n').slice(-count).join('\n');
}
