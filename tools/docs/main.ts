/** `npm run docs`: fills in the generated parts of pages; with `--check`, names those that are out of date. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { PROJECT_FOLDER, readProjectFile } from '../project';
import { PAGES_WITH_PARTS, withParts } from './pages';

for (const page of PAGES_WITH_PARTS) {
  const made = withParts(page);
  if (!process.argv.includes('--check')) {
    writeFileSync(path.join(PROJECT_FOLDER, page), made);
  } else if (readProjectFile(page) !== made) {
    console.error(`${page} is out of date: run "npm run docs".`);
    process.exitCode = 1;
  }
}
