import { PAGES_WITH_PARTS, withParts } from '../../tools/docs/pages';
import { readProjectFile } from '../../tools/project';

test.each(PAGES_WITH_PARTS)('%s is what npm run docs makes of code and results', (page) => {
  expect(readProjectFile(page)).toBe(withParts(page));
});
