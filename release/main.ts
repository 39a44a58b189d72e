/** `npm run release:check`: every check of a release that needs no publishing. README.md says when to run it. */
import '../tools/cli/requirements';

import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { Command } from 'commander';
import { execa } from 'execa';

import { ExpectedError } from '../tools/cli/errors';
import { runSession, type Session } from '../tools/cli/session';
import { makeTemporaryFolder } from '../tools/cli/temporaryFolder';
import { packPackage } from '../tools/n8n/package';
import { PROJECT_FOLDER } from '../tools/project';
import { installProblems } from './installCheck';
import { readManifest, readReleaseInput } from './project';
import { releaseProblems } from './version';

interface Options {
  tag?: string;
  out?: string;
  skipTests?: boolean;
}

const options = new Command('npm run release:check --')
  .description('Checks a release without publishing it.')
  .option('--tag <tag>', 'the tag to publish; package.json and CHANGELOG.md must have its version')
  .option('--out <folder>', 'an empty folder to keep the packed package in')
  .option('--skip-tests', 'skip lint and tests')
  .parse()
  .opts<Options>();

void runSession(async (session) => {
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
    await check(`${tag} agrees with the version and the changelog`, () =>
      releaseProblems({ ...readReleaseInput(), tag }),
    );
  if (options.skipTests !== true) {
    await check('Lint', () => run('lint', session));
    await check('Tests', () => run('test', session));
    await check('Exhaustive tests', () => run('test:exhaustive', session));
  }
  const tarball = await packPackage(await outputFolder(session), session.signal);
  session.say(`Packed ${path.basename(tarball)}`);
  await check('An empty n8n installs the package and loads everything in it', () =>
    installProblems(tarball, readManifest(), session),
  );

  await session.cleanup.run();
  if (tag === undefined) printRemaining(session);
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
  // A package that is already there could be mistaken for the new one.
  if (present.length > 0) throw new ExpectedError(`${options.out} is not empty.`);
  return folder;
}

function printRemaining({ say }: Session): void {
  const input = readReleaseInput();
  const problems = releaseProblems({ ...input, tag: `v${input.version}` });
  say(problems.length === 0 ? `Ready for the tag v${input.version}.` : `To do before the tag v${input.version}:`);
  for (const problem of problems) say(`  ${problem}`);
}
