import { createRequire } from 'node:module';

import { serve } from './processes';

export interface LoadTask {
  readonly files: readonly string[];
}

/** Reports how long these files take to load, in milliseconds, in a process that has loaded n8n-workflow. */
serve(async ({ files }: LoadTask) => {
  const load = createRequire(import.meta.url);
  load('n8n-workflow');
  const started = performance.now();
  for (const file of files) load(file);
  return await Promise.resolve(performance.now() - started);
});
