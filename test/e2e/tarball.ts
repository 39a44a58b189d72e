import { ExpectedError } from '../../tools/cli/errors';

/** Names the packed package that all parts test. */
export const TARBALL_VARIABLE = 'MESSAGING_SEND_TARBALL';

/** The packed package under test. */
export function tarball(): string {
  const file = process.env[TARBALL_VARIABLE];
  if (file === undefined)
    throw new ExpectedError('Run the parts by "npm run test:e2e -- <part>": it packs the package first.');
  return file;
}
