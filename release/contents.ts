import path from 'node:path/posix';

/** What is read of package.json. */
export interface Manifest {
  name: string;
  version: string;
  homepage: string;
  main: string;
  repository: { url: string };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  bundleDependencies?: unknown;
  scripts?: Record<string, string>;
  n8n: { nodes: string[]; credentials: string[] };
}

const AT_THE_TOP = ['CHANGELOG.md', 'LICENSE.md', 'README.md', 'index.js', 'package.json'];
const IN_DIST = /^dist\/(nodes|credentials)\/.+\.js$|^dist\/nodes\/.+\.node\.json$|^dist\/icons\/[^/]+\.svg$/;
/** Of no use to whoever installs, and run on their machine by npm. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];
/** What n8n gives to a node; everything else would have to be installed with it. */
const FROM_N8N = ['n8n-workflow', 'crypto', 'node:crypto'];
const REQUIRE = /\brequire\(["']([^"']+)["']\)/g;
const ICON = /["']file:([^"']+\.svg)["']/g;

/**
 * Tells what is wrong with a package as it goes to the registry.
 *
 * @param files  the text of each file, by its path in the package
 * @returns a sentence for each problem
 */
export function contentProblems(files: ReadonlyMap<string, string>, manifest: Manifest): string[] {
  const loaded = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
  const wanted = [...AT_THE_TOP, manifest.main, ...loaded];
  return [
    ...[...new Set(wanted)].filter((file) => !files.has(file)).map((file) => `${file} is missing.`),
    ...[...files.keys()]
      .filter((file) => !AT_THE_TOP.includes(file) && !IN_DIST.test(file))
      .map((file) => `${file} does not belong there.`),
    ...[...files].flatMap(([file, text]) => fileProblems(file, text, files)),
    ...dependencyProblems(manifest),
  ];
}

function fileProblems(file: string, text: string, files: ReadonlyMap<string, string>): string[] {
  const isCode = file.endsWith('.js');
  return [
    ...(isCode ? importProblems(file, text, files) : []),
    ...(isCode ? iconProblems(file, text, files) : []),
    ...(isCode && text.includes('sourceMappingURL') ? [`${file} names a source map, and there is none.`] : []),
    // Sources name it in place of the homepage; the build puts the real one in.
    ...(text.includes('homepage.invalid') ? [`${file} has a link to homepage.invalid.`] : []),
  ];
}

function importProblems(file: string, text: string, files: ReadonlyMap<string, string>): string[] {
  return [...text.matchAll(REQUIRE)].flatMap(([, imported = '']) => {
    if (!imported.startsWith('.'))
      return FROM_N8N.includes(imported) ? [] : [`${file} needs ${imported}, which n8n does not give.`];
    const target = path.join(path.dirname(file), imported);
    return [target, `${target}.js`, `${target}/index.js`].some((candidate) => files.has(candidate))
      ? []
      : [`${file} needs ${imported}, which is not there.`];
  });
}

function iconProblems(file: string, text: string, files: ReadonlyMap<string, string>): string[] {
  const icons = [...text.matchAll(ICON)].map(([, icon = '']) => path.join(path.dirname(file), icon));
  return icons.filter((icon) => !files.has(icon)).map((icon) => `${file} shows ${icon}, which is not there.`);
}

function dependencyProblems({
  dependencies = {},
  optionalDependencies = {},
  bundleDependencies,
  scripts = {},
}: Manifest): string[] {
  const brought = Object.keys({ ...dependencies, ...optionalDependencies });
  return [
    ...brought.map((name) => `It depends on ${name}; a verified node has no dependency.`),
    ...(bundleDependencies === undefined ? [] : ['It brings bundled dependencies.']),
    ...INSTALL_SCRIPTS.filter((name) => name in scripts).map(
      (name) => `npm would run its script "${name}" where it is installed.`,
    ),
  ];
}
