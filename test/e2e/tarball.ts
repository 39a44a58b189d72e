import { ExpectedError } from '../../tools/cli/errors';
import { type Session } from '../../tools/cli/session';
import { makeTemporaryFolder } from '../../tools/cli/temporaryFolder';
import { packPackage } from '../../tools/n8n/package';

/** Names the packed package that all parts test. */
export const TARBALL_VARIABLE = 'MESSAGING_SEND_TARBALL';

/** The packed package under test. */
export function tarball(): string {
  const file = process.env[TARBALL_VARIABLE];
  if (file === undefined)
    throw new ExpectedError('Run the parts by "npm run test:e2e -- <part>": it packs the package first.');
  return file;
}

/** Packs this package for the tests of a command, unless {@link TARBALL_VARIABLE} names another one. */
export async function providePackage({ signal, cleanup, say }: Session): Promise<void> {
  if (process.env[TARBALL_VARIABLE] !== undefined) return;
  say('Building and packing the package');
  // The processes of the tests inherit it.
  process.env[TARBALL_VARIABLE] = await packPackage(await makeTemporaryFolder('packed', cleanup), signal);
}
