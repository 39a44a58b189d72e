import { type Session } from '../cli/session';
import { installN8n } from './install';
import { type N8nProgram } from './process';
import { N8N_VARIABLE, type ReleaseName } from './releases';

/**
 * Finds the n8n to start: the command that {@link N8N_VARIABLE} gives, or else a release, which is installed if it isn't
 * in the cache folder yet.
 *
 * The command gets n8n's arguments, n8n's settings as its environment (`N8N_PORT`, `N8N_USER_FOLDER` and others), and n8n's
 * home as its working folder. On SIGTERM it must stop n8n and end; when it is killed, n8n must end as well.
 */
export async function findN8n(release: ReleaseName, session: Session): Promise<N8nProgram> {
  const command = process.env[N8N_VARIABLE];
  if (command === undefined) return await installN8n(release, session);
  return { file: 'sh', args: ['-c', `exec ${command} "$@"`, 'sh'] };
}
