/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import path from 'node:path';

/** The environment of an n8n: from the user only what a program needs to run, and no calls to n8n's servers. */
export function environmentOf(folder: string, port: number, brokerPort: number): NodeJS.ProcessEnv {
  return {
    ...inherited(),
    HOME: folder,
    N8N_USER_FOLDER: folder,
    N8N_PORT: String(port),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_HOST: 'localhost',
    N8N_RUNNERS_BROKER_PORT: String(brokerPort),
    N8N_SECURE_COOKIE: 'false',
    N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
    N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
    // The package is already in place; n8n must not look for it in the registry.
    N8N_REINSTALL_MISSING_PACKAGES: 'false',
    // Nothing that would call n8n's own servers, ask the user questions or show them news.
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
    N8N_DYNAMIC_BANNERS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_PERSONALIZATION_ENABLED: 'false',
    N8N_HIRING_BANNER_ENABLED: 'false',
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    // Otherwise, n8n 3 loads only packages that n8n has verified.
    N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
    N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
    // Otherwise it fetches a list of MCP servers.
    N8N_DISABLED_MODULES: 'mcp-registry',
  };
}

/** What a queue-mode worker needs besides: a port to ask whether it is ready, the only thing it answers there. */
export function workerEnvironment(port: number): NodeJS.ProcessEnv {
  return {
    QUEUE_HEALTH_CHECK_ACTIVE: 'true',
    QUEUE_HEALTH_CHECK_PORT: String(port),
    N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
  };
}

/** Where n8n's node "Read/Write Files from Disk" may read by default, in the folder that is n8n's home. */
export function filesFolderOf(folder: string): string {
  return path.join(folder, '.n8n-files');
}

function inherited(): NodeJS.ProcessEnv {
  const names = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];
  return Object.fromEntries(names.filter((name) => name in process.env).map((name) => [name, process.env[name]]));
}
