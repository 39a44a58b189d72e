/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { chown, readdir } from 'node:fs/promises';
import path from 'node:path';

import { execa } from 'execa';

import { ExpectedError } from '../../tools/cli/errors';
import { Service, type ServiceOptions } from '../../tools/cli/service';
import { type Session } from '../../tools/cli/session';
import { makeTemporaryFolder } from '../../tools/cli/temporaryFolder';

/** Debian's packages have each version's programs here; only some are in the search path. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';

/** Debian's packages add a user of this name. */
const SERVER_USER = 'postgres';
const DATABASE_USER = 'n8n';

/**
 * Starts a PostgreSQL with an empty database, which listens on a socket in a folder of its own only.
 *
 * @returns n8n's settings for it
 */
export async function startPostgres(session: Session): Promise<NodeJS.ProcessEnv> {
  const programs = await findPrograms();
  const folder = await makeTemporaryFolder('postgres', session.cleanup);
  const user = await serverUser();
  if (user !== undefined) await chown(folder, user.uid, user.gid);

  const program = (name: string) => path.join(programs, name);
  const data = path.join(folder, 'data');
  // The folder is closed to other users, so anybody who reaches the socket may connect.
  const options = ['--username', DATABASE_USER, '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'];
  await execa(program('initdb'), ['--pgdata', data, ...options], {
    cwd: folder,
    cancelSignal: session.signal,
    ...user,
  });
  const service = new Service({
    name: 'postgres',
    file: program('postgres'),
    args: ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'],
    folder,
    user,
    // Its processes have groups of their own.
    killSignal: 'SIGQUIT',
  });
  session.cleanup.add(() => service.kill());
  await service.started(async () => await execa(program('pg_isready'), ['--host', folder]), session.signal);
  return {
    DB_TYPE: 'postgresdb',
    DB_POSTGRESDB_HOST: folder,
    DB_POSTGRESDB_DATABASE: 'postgres',
    DB_POSTGRESDB_USER: DATABASE_USER,
  };
}

async function findPrograms(): Promise<string> {
  const versions = await readdir(DEBIAN_FOLDER).catch(() => []);
  const newest = versions.sort((left, right) => Number(right) - Number(left))[0];
  if (newest !== undefined) return path.join(DEBIAN_FOLDER, newest, 'bin');
  const { stdout, failed } = await execa('pg_config', ['--bindir'], { reject: false });
  if (failed) throw new ExpectedError("PostgreSQL can't be found. On Debian or Ubuntu: apt-get install postgresql");
  return stdout.trim();
}

/** PostgreSQL refuses to run as root. */
async function serverUser(): Promise<ServiceOptions['user']> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(
    ['--user', '--group'].map(async (flag) => Number((await execa('id', [flag, SERVER_USER])).stdout)),
  );
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}
