import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { PROJECT_FOLDER, readProjectFile } from '../project';
import { numberingPlanFile, PLAN_FILE } from './plan';

const made = numberingPlanFile();
if (!process.argv.includes('--check')) {
  writeFileSync(path.join(PROJECT_FOLDER, PLAN_FILE), made);
} else if (readProjectFile(PLAN_FILE) !== made) {
  console.error(`${PLAN_FILE} differs from libphonenumber-js's metadata: run "npm run numbering".`);
  process.exit(1);
}
