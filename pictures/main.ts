/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import '../tools/cli/requirements';

import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { Command } from 'commander';

import { startWithSandbox } from '../sandbox/n8n/instance';
import { runSession } from '../tools/cli/session';
import { launchBrowser, openWindow } from '../tools/n8n/browser';
import { logIn } from '../tools/n8n/editor';
import { provideContacts } from '../tools/n8n/examples/contacts';
import { OWNER } from '../tools/n8n/instance';
import { providePackage } from '../tools/n8n/package';
import { PROJECT_FOLDER } from '../tools/project';
import { camera } from './camera';
import { PUBLIC_ADDRESS, takePictures } from './pictures';
import { filmTour } from './tour';

const { out } = new Command('npm run screenshots --')
  .description(
    "Takes the pictures of the documentation and of the examples: n8n's editor with this node in it, and what phones show.",
  )
  .option('--out <folder>', 'where the pictures go', path.join(PROJECT_FOLDER, 'docs'))
  .allowExcessArguments(false)
  .parse()
  .opts<{ out: string }>();

void runSession(async (session) => {
  const { signal, cleanup, say } = session;
  await mkdir(path.join(out, 'examples'), { recursive: true });
  say('Starting n8n');
  const instance = await startWithSandbox(
    {
      purpose: 'pictures',
      providePackage: (userFolder) => providePackage(userFolder, signal),
      environment: { WEBHOOK_URL: PUBLIC_ADDRESS },
    },
    session,
  );
  await provideContacts(instance.folder);
  const browser = await launchBrowser();
  cleanup.add(() => browser.close());
  // Fine enough for a screen with two pixels to a point.
  const page = await (await openWindow(browser, { deviceScaleFactor: 2 })).newPage();
  await logIn(page, instance.n8n.url, OWNER);
  const taken = (file: string) => {
    signal.throwIfAborted();
    say(`Picture: ${file}`);
  };
  await (await filmTour(page, browser, instance)).save(out, 'tour.webp');
  taken('tour.webp');
  instance.sandbox.reset();
  await takePictures(page, browser, instance, camera(out, taken));
  return 0;
});
