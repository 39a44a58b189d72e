/** `npm run release:check`: all that can be known of a release before it is published. CONTRIBUTING.md says when. */
import '../tools/cli/requirements';

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import { Command } from 'commander';
import { execa } from 'execa';

import { ExpectedError } from '../tools/cli/errors';
import { runSession, type Session } from '../tools/cli/session';
import { makeTemporaryFolder } from '../tools/cli/temporaryFolder';
import { packPackage } from '../tools/n8n/package';
import { PROJECT_FOLDER, readProjectFile } from '../tools/project';
import { contentProblems } from './contents';
import { installProblems } from './installCheck';
import { readManifest, readReleaseInput } from './project';
import { filesLinkedFrom } from './readmeLinks';
import { releaseProblems } from './version';

interface Options {
  tag?: string;
  out?: string;
  skipTests?: boolean;
}

const options = new Command('npm run release:check --')
  .description('Does all of a release that can be done on this machine, and publishes nothing.')
  .option('--tag <tag>', 'the tag to be published: its version has to be in package.json and in the changelog')
  .option('--out <folder>', 'where the packed package goes; it has to be empty')
  .option('--skip-tests', 'leave out lint and tests, which have run already')
  .parse()
  .opts<Options>();

void runSession(async (session) => {
  const manifest = readManifest();
  let failed = 0;
  let passed = 0;
  const check = async (name: string, find: () => Promise<string[]> | string[]) => {
    session.say(`== ${name}`);
    const problems = await find();
    for (const problem of problems) session.say(`  ${problem}`);
    session.say(problems.length === 0 ? '  ok' : '  not ok');
    if (problems.length === 0) passed += 1;
    else failed += 1;
  };

  const { tag } = options;
  if (tag !== undefined)
    await check(`${tag}, the version and the changelog fit together`, () =>
      releaseProblems({ ...readReleaseInput(), tag }),
    );
  if (options.skipTests !== true) {
    await check('Lint', () => run('lint', session));
    await check('Tests', () => run('test', session));
  }
  const tarball = await packPackage(await outputFolder(session), session.signal);
  session.say(`Packed ${path.basename(tarball)}`);
  await check('The package holds what it has to, and nothing else', async () =>
    contentProblems(await unpack(tarball, session), manifest),
  );
  await check('What the README points to is in the repository', brokenLinks);
  await check('An empty n8n installs the package and loads all of it', () =>
    installProblems(tarball, manifest, session),
  );

  await session.cleanup.run();
  if (tag === undefined) tellWhatIsLeft(session);
  session.say(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});

async function run(script: string, { signal }: Session): Promise<string[]> {
  const { exitCode } = await execa('npm', ['run', script], {
    cwd: PROJECT_FOLDER,
    stdio: ['ignore', 'inherit', 'inherit'],
    reject: false,
    cancelSignal: signal,
  });
  signal.throwIfAborted();
  return exitCode === 0 ? [] : [`npm run ${script} failed.`];
}

async function outputFolder(session: Session): Promise<string> {
  if (options.out === undefined) return await makeTemporaryFolder('packed', session.cleanup);
  const folder = path.resolve(options.out);
  const present = await readdir(folder).catch(() => []);
  // What lies there could be taken for what is packed now.
  if (present.length > 0) throw new ExpectedError(`${options.out} is not empty.`);
  return folder;
}

/** @returns the text of each file in a tarball, by its path. */
async function unpack(tarball: string, session: Session): Promise<Map<string, string>> {
  const folder = await makeTemporaryFolder('unpacked', session.cleanup);
  await execa('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'], { cancelSignal: session.signal });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => path.join(entry.parentPath, entry.name));
  const texts = files.map(async (file) => [path.relative(folder, file), await readFile(file, 'utf8')] as const);
  return new Map(await Promise.all(texts));
}

async function brokenLinks(): Promise<string[]> {
  const { stdout } = await execa('git', ['ls-files'], { cwd: PROJECT_FOLDER });
  const kept = stdout.split('\n');
  const missing = filesLinkedFrom(readProjectFile('README.md')).filter((file) => !kept.includes(file));
  return missing.map((file) => `README.md points to ${file}, which git does not keep.`);
}

function tellWhatIsLeft({ say }: Session): void {
  const input = readReleaseInput();
  const problems = releaseProblems({ ...input, tag: `v${input.version}` });
  say(problems.length === 0 ? `Ready for the tag v${input.version}.` : `Before it is tagged as v${input.version}:`);
  for (const problem of problems) say(`  ${problem}`);
}
