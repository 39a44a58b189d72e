/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { type Locator, type Page } from 'playwright-core';

import { type Owner } from './rest';

/** What a user does in n8n's editor, step by step. Its parts are named as n8n's own tests name them. */

export async function logIn(page: Page, n8nUrl: string, owner: Owner): Promise<void> {
  await page.goto(`${n8nUrl}/signin`);
  await page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
  await page.locator('input[name="password"]').fill(owner.password);
  await page.getByTestId('form-submit-button').click();
  await page.waitForURL((address) => !address.pathname.startsWith('/signin'));
}

export async function openWorkflow(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByTestId('canvas-node').first().waitFor();
}

/** Clicks the button at the bottom that runs the workflow, and waits for this notice. */
export async function executeWorkflow(page: Page, notice = 'Workflow executed successfully'): Promise<void> {
  await runByButton(page);
  await noticeOn(page).getByText(notice).first().waitFor();
}

export async function runByButton(page: Page): Promise<void> {
  await page.getByTestId('execute-workflow-button').click();
}

/** Shows the workflow in the middle of the canvas, at full size. */
export async function showFullSize(page: Page): Promise<void> {
  await page.getByTestId('canvas-wrapper').click({ position: { x: 300, y: 60 } });
  // "1" scales it to fit, "0" resets the scale.
  await page.keyboard.press('1');
  await page.keyboard.press('0');
}

/** The notices at the edge of the page, which disappear on their own. */
export function noticeOn(page: Page): Locator {
  return page.locator('.el-notification');
}

function nodeOnCanvas(page: Page, name: string): Locator {
  return page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
}

export async function openNode(page: Page, name: string): Promise<void> {
  await nodeOnCanvas(page, name).dblclick();
  await page.getByTestId('ndv').waitFor();
}

/** Runs the open node, and what it needs before. */
export async function executeNode(page: Page): Promise<void> {
  await page.getByTestId('node-execute-button').first().click();
}

export async function closeNode(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.getByTestId('ndv').waitFor({ state: 'hidden' });
}

export function outputPanel(page: Page): Locator {
  return page.getByTestId('output-panel');
}
