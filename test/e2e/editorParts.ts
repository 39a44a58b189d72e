import { type Locator, type Page } from 'playwright-core';

/** The labels of the parameters that the open node shows, from top to bottom. */
export async function parametersShown(page: Page): Promise<string[]> {
  const labels = page
    .getByTestId('ndv')
    .getByTestId('node-parameters')
    .getByTestId('input-label')
    .filter({ visible: true });
  const texts = await labels.allInnerTexts();
  // What follows the label in the same element is buttons and the preview of an expression.
  return texts.map((text) => text.split('\n')[0]?.trim() ?? '');
}

/** Picks an option of a parameter of the open node. */
export async function choose(page: Page, parameter: string, option: string): Promise<void> {
  // An option's description is part of its name.
  const choice = page.getByRole('option').filter({ has: page.getByText(option, { exact: true }), visible: true });
  await openList(page.getByTestId(`parameter-input-${parameter}`), choice);
  await choice.click();
}

/**
 * How long the editor may take to show a list, in milliseconds; if it redraws the panel at that moment, it never does.
 */
const LIST_OPENS_WITHIN = 5_000;

/** Clicks until a list shows this option. */
async function openList(box: Locator, option: Locator): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await box.click();
    const isOpen = await option.waitFor({ timeout: LIST_OPENS_WITHIN }).then(
      () => true,
      () => false,
    );
    if (isOpen) return;
  }
}

/** The list of options; the editor also keeps the one of the settings, which it does not show. */
function addOptionBox(page: Page): Locator {
  const parameters = page.getByTestId('ndv').getByTestId('node-parameters');
  return parameters.getByPlaceholder('Add option', { exact: true }).filter({ visible: true });
}

/** Adds an option of the open node, with its default. */
export async function addOption(page: Page, option: string): Promise<void> {
  const offered = page.getByRole('option').filter({ visible: true });
  const choice = offered.filter({ hasText: option });
  await openList(addOptionBox(page), choice);
  await choice.click();
  // While the list closes, it would close the next one, too.
  await offered.first().waitFor({ state: 'hidden' });
}

/** The buttons beside the parameters of the open node that take away an option. */
export function binsOf(page: Page): Locator {
  return page.getByTestId('ndv').getByTestId('node-parameters').getByRole('button', { name: 'Delete', exact: true });
}

/** Waits until the open node's panel shows these texts, and none of the others. */
export async function waitForTexts(page: Page, shown: string[], others: string[]): Promise<void> {
  const ndv = page.getByTestId('ndv');
  for (const text of shown) await ndv.getByText(text).filter({ visible: true }).waitFor();
  for (const text of others) await ndv.getByText(text).filter({ visible: true }).waitFor({ state: 'hidden' });
}

/** Runs the open node alone. */
export async function executeNode(page: Page): Promise<void> {
  await page.getByTestId('node-execute-button').first().click();
}

/** What the open node offers under Options. */
export async function optionsOffered(page: Page): Promise<string[]> {
  const add = addOptionBox(page);
  await add.click();
  const offered = page.getByRole('option').filter({ visible: true });
  await offered.first().waitFor();
  const names = await offered.allInnerTexts();
  // The list would cover the next choice.
  await add.click();
  await offered.first().waitFor({ state: 'hidden' });
  return names;
}

/** The name of the credential that the open node has chosen. */
export async function credentialChosen(page: Page): Promise<string> {
  const select = page.getByTestId('node-credentials-select');
  await select.waitFor();
  return await select.locator('input').inputValue();
}

/** Starts a new credential from the open node. */
export async function openNewCredential(page: Page): Promise<Locator> {
  await page.getByTestId('node-credentials-select').click();
  // The editor asks n8n for a name that is free, and can't save the credential before it has one.
  const named = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/credentials/new'));
  await page.getByTestId('node-credentials-select-item-new').click();
  const dialog = page.getByTestId('editCredential-modal');
  await dialog.waitFor();
  await named;
  return dialog;
}

/** Fills in the dialog of a credential and saves it, which tests it too. */
export async function saveCredential(dialog: Locator, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    await dialog.getByTestId(`parameter-input-${name}`).locator('input').fill(value);
  }
  await dialog.getByTestId('credential-save-button').click();
}

/** Waits until the dialog shows that the credential works: with a line of text or, in newer releases, by closing. */
export async function waitForConnection(dialog: Locator): Promise<void> {
  const success = dialog.getByText('Connection tested successfully').filter({ visible: true });
  await Promise.any([success.waitFor(), dialog.waitFor({ state: 'hidden' })]);
}

/** Imports a workflow from a file into the empty canvas of a new one. */
export async function importWorkflowFile(page: Page, n8nUrl: string, file: string): Promise<void> {
  await page.goto(`${n8nUrl}/workflow/new`);
  await page.getByTestId('canvas-wrapper').waitFor();
  // What the menu's entry opens; the entry is in another place in each release.
  await page.getByTestId('workflow-import-input').setInputFiles(file);
  await page.getByTestId('canvas-node').first().waitFor();
}

/** Writes in the chat of the open workflow. */
export async function writeInChat(page: Page, text: string): Promise<void> {
  const input = page.getByPlaceholder(/^Type (a )?message/);
  if ((await input.count()) === 0) await page.getByTestId('workflow-chat-button').click();
  await input.fill(text);
  await input.press('Enter');
}

/** Puts the node of that name as human review between the agent of the open workflow and its one tool, and opens it. */
export async function addHumanReview(page: Page, name: string): Promise<void> {
  const toTool = page.locator('.vue-flow__edge[data-id*="ai_tool"]');
  // The line is thin and may be below a node.
  await toTool.hover({ force: true });
  await page.getByTestId('add-connection-button').click();
  await page.getByTestId('node-creator-item-name').getByText(name, { exact: true }).click();
  // n8n shows a community node before it adds it.
  await page.getByRole('button', { name: 'Add to workflow' }).click();
  await page.getByTestId('ndv').waitFor();
}
