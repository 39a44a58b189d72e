/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { PROJECT_FOLDER, readProjectFile } from '../project';
import { numberingPlanFile, PLAN_FILE } from './plan';
import { ZONES_FILE, zonesFile } from './zones';

for (const [file, made] of [
  [PLAN_FILE, numberingPlanFile()],
  [ZONES_FILE, zonesFile()],
] as const) {
  if (!process.argv.includes('--check')) {
    writeFileSync(path.join(PROJECT_FOLDER, file), made);
  } else if (readProjectFile(file) !== made) {
    console.error(`${file} differs from the metadata it is made from: run "npm run numbering".`);
    process.exitCode = 1;
  }
}
