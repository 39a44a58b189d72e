const LINK = /\]\((?<target>[^)\s]+)\)/g;

/**
 * The files a README points to, pictures included, by their path from the README.
 *
 * They are not in the package. npm's page leads them to the default branch on GitHub, by `repository` in package.json:
 * pictures to raw.githubusercontent.com/<owner>/<name>/HEAD, others to github.com/<owner>/<name>/blob/HEAD.
 */
export function filesLinkedFrom(readme: string): string[] {
  const targets = [...readme.matchAll(LINK)].map(({ groups }) => groups?.['target'] ?? '');
  return targets.filter((target) => !/^(#|[a-z]+:)/.test(target)).map((target) => target.replace(/#.*$/, ''));
}
