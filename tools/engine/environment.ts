/** Import this before n8n-core, which reads the environment as it loads: n8n gets its own folder, and logs nothing. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

process.env.N8N_LOG_LEVEL = 'silent';
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'messaging-send-test-'));
