import { type Browser, type Page } from 'playwright-core';

import { type JsonObject } from '../tools/json';
import { openWindow } from '../tools/n8n/browser';
import {
  closeNode,
  executeWorkflow,
  fitCanvas,
  logIn,
  noticeOn,
  openNode,
  openWorkflow,
  outputPanel,
} from '../tools/n8n/editor';
import { type InstanceWithSandbox, OWNER } from '../tools/n8n/instance';
import { type StoredCredential } from '../tools/n8n/rest';
import { dryRun, lowBalance, SENDER, TRIGGER, withoutTheNode, withTheNode, wrongNumber } from './scenes';

/** Fine enough for a screen with two pixels to a point. */
export const SHARP = { deviceScaleFactor: 2 };

/**
 * Takes the pictures of the scenes.
 *
 * @param editor  a page on which the owner is logged in
 * @param shoot   takes the picture of that name
 */
export async function takeScenePictures(
  editor: Page,
  browser: Browser,
  instance: InstanceWithSandbox,
  shoot: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  const { credential, n8n, rest } = instance;
  await openScene(editor, instance, dryRun(), credential);
  await executeWorkflow(editor);
  await openNode(editor, SENDER);
  await settled(editor);
  await shoot(editor, 'dry-run');

  await openScene(editor, instance, wrongNumber(), credential);
  await executeWorkflow(editor, 'The phone number begins with 0');
  // A notice of an error stays until it is closed.
  await noticeOn(editor).locator('.el-notification__closeBtn').first().click();
  await openNode(editor, SENDER);
  await settled(editor);
  await shoot(editor, 'error');

  await openScene(editor, instance, lowBalance(), credential);
  await openNode(editor, TRIGGER);
  await editor.getByTestId('node-execute-button').click();
  await settled(editor);
  // n8n's advice on the first output of a trigger would cover the hint.
  await closeNode(editor);
  await openNode(editor, TRIGGER);
  await shoot(editor, 'trigger');

  // As flat as a row of nodes.
  const canvas = await (await openWindow(browser, { ...SHARP, viewport: { width: 1440, height: 640 } })).newPage();
  await logIn(canvas, n8n.url, OWNER);
  const header = await rest.createCredential('API key', 'httpHeaderAuth', {
    name: 'Authorization',
    value: 'Bearer made-up',
  });
  await openScene(canvas, instance, withoutTheNode(), header);
  await fitCanvas(canvas);
  await shoot(canvas, 'before');
  await openScene(canvas, instance, await withTheNode(), credential);
  await fitCanvas(canvas);
  await shoot(canvas, 'after');
}

/** Stores a workflow and opens it. */
async function openScene(
  page: Page,
  instance: InstanceWithSandbox,
  workflow: JsonObject,
  credential: StoredCredential,
): Promise<void> {
  const stored = await instance.rest.importWorkflow(workflow, [credential]);
  await openWorkflow(page, instance.editorUrl(stored));
  // Icons load after their nodes.
  await page.waitForLoadState('networkidle');
}

/** Waits for the output of the open node, and for the notices to disappear. */
async function settled(page: Page): Promise<void> {
  const result = outputPanel(page).getByRole('table').or(outputPanel(page).getByTestId('node-error-message'));
  await result.first().waitFor();
  // A pointer over a row would show more.
  await page.mouse.move(0, 0);
  await noticeOn(page).waitFor({ state: 'detached' });
}
