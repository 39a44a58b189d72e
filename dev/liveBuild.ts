import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';

import gulp from 'gulp';
import ts from 'typescript';

import { runCommand } from '../tools/cli/command';
import { messageOf } from '../tools/cli/errors';
import { type Session } from '../tools/cli/session';
import { packageFolderOf } from '../tools/n8n/package';
import { PROJECT_FOLDER } from '../tools/project';

/** What the build copies. */
const COPIED = ['icons/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'];

/**
 * Builds this package where n8n looks for it, and builds it again after each change until the session ends.
 *
 * n8n gets a folder of its own, not a link to the checkout: it would watch all of it with its `node_modules`, and the
 * node would load the checkout's n8n-workflow instead of n8n's, which does not recognize the other one's errors.
 */
export async function startLiveBuild(userFolder: string, session: Session): Promise<void> {
  const folder = packageFolderOf(userFolder);
  const dist = path.join(folder, 'dist');
  await mkdir(dist, { recursive: true });
  for (const file of ['package.json', 'index.js']) {
    await copyFile(path.join(PROJECT_FOLDER, file), path.join(folder, file));
  }

  const { signal, cleanup, say } = session;
  // One after the other: of two at once, one would still write files when n8n is started after the other.
  let finished: Promise<void> = Promise.resolve();
  const finish = () => {
    finished = finished
      .catch(() => undefined)
      .then(() => runCommand('npx', ['gulp', 'build'], { signal, env: { MESSAGING_SEND_DIST: dist } }));
    return finished;
  };
  const finishLater = () =>
    finish().catch((failure: unknown) => {
      if (!signal.aborted) say(messageOf(failure));
    });
  compileOnChange(dist, session, finishLater);
  await finished;
  const watcher = gulp.watch(COPIED, { cwd: PROJECT_FOLDER }, finishLater);
  cleanup.add(() => watcher.close());
}

/**
 * Compiles the package's code now, and what has changed after each change.
 *
 * @param compiled  called each time, after the files are written
 */
function compileOnChange(outDir: string, { cleanup, say }: Session, compiled: () => unknown): void {
  const host = ts.createWatchCompilerHost(
    path.join(PROJECT_FOLDER, 'tsconfig.json'),
    { outDir },
    ts.sys,
    ts.createEmitAndSemanticDiagnosticsBuilderProgram,
    (problem) => say(ts.formatDiagnostic(problem, RELATIVE).trimEnd()),
    (status) => say(ts.flattenDiagnosticMessageText(status.messageText, '\n')),
  );
  const write = host.afterProgramCreate?.bind(host);
  host.afterProgramCreate = (program) => {
    write?.(program);
    compiled();
  };
  const watch = ts.createWatchProgram(host);
  cleanup.add(() => watch.close());
}

/** Files by their paths in the checkout. */
const RELATIVE: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => PROJECT_FOLDER,
  getCanonicalFileName: (file) => file,
  getNewLine: () => '\n',
};
