import { numberingPlanFile, PLAN_FILE } from '../../tools/numbering/plan';
import { readProjectFile } from '../../tools/project';

test("The numbering plan is that of libphonenumber-js's metadata; `npm run numbering` writes it again", () => {
  expect(readProjectFile(PLAN_FILE)).toBe(numberingPlanFile());
});
