/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** Import this before n8n-core, which reads the environment as it loads: gives n8n its own folder, and no log. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { filesFolderOf } from '../n8n/settings';

export const N8N_HOME = mkdtempSync(join(realpathSync(tmpdir()), 'messaging-send-engine-'));

process.env.N8N_LOG_LEVEL = 'silent';
process.env.N8N_USER_FOLDER = N8N_HOME;
process.env.N8N_RESTRICT_FILE_ACCESS_TO = filesFolderOf(N8N_HOME);

process.once('exit', () => rmSync(N8N_HOME, { recursive: true, force: true }));
