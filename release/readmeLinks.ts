import { readPage } from '../tools/markdown';

/**
 * The files a page points to, pictures included, by their path from the page.
 *
 * Those of the README are not in the package. npm's page leads them to the default branch on GitHub, by `repository` in
 * package.json: pictures to raw.githubusercontent.com/<owner>/<name>/HEAD, others to github.com/<owner>/<name>/blob/HEAD.
 */
export function filesLinkedFrom(page: string): string[] {
  const targets = readPage(page).links.map(({ target }) => target);
  return targets.filter((target) => !/^(#|[a-z]+:)/.test(target)).map((target) => target.replace(/#.*$/, ''));
}
