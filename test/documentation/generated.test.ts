import { PAGES_WITH_PARTS, withParts } from '../../tools/docs/pages';
import { readProjectFile } from '../../tools/project';

test.each(PAGES_WITH_PARTS)('%s is what npm run docs makes of code and results', (page) => {
  expect(readProjectFile(page)).toBe(withParts(page));
});

test('A page that lacks a part, or has one that nothing makes, is refused', () => {
  const text = readProjectFile('docs/errors.md');
  expect(() => withParts('docs/errors.md', text.replace('docs: not-sent', 'docs: unsent'))).toThrow('"unsent"');
  expect(() => withParts('docs/errors.md', '# Errors')).toThrow('lacks the parts not-sent, uncertain');
});
