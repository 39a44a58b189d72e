import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { type Browser, type Page } from 'playwright-core';

import { openWindow } from '../tools/n8n/browser';
import { fitCanvas, logIn, openWorkflow } from '../tools/n8n/editor';
import { storeExampleCredentials } from '../tools/n8n/examples/credentials';
import { exampleNames, readExample } from '../tools/n8n/examples/files';
import { type InstanceWithSandbox, OWNER } from '../tools/n8n/instance';

/** Large enough for every example at its full size, with nothing of the editor on top of it. */
const VIEWPORT = { width: 1900, height: 1200 };

/** Room around the workflow, in pixels: enough for the flash before a trigger. */
const MARGIN = 32;

/**
 * Takes a picture of each example, as it is on the canvas when it has its credentials.
 *
 * @param folder  where the pictures go, each under the name of its example
 * @param taken   is called with the name of each picture
 */
export async function takeExamplePictures(
  browser: Browser,
  instance: InstanceWithSandbox,
  folder: string,
  taken: (name: string) => void,
): Promise<void> {
  const { n8n, rest, credential } = instance;
  await mkdir(folder, { recursive: true });
  const credentials = [credential, ...(await storeExampleCredentials(rest, `${n8n.url}/v1`))];
  const window = await openWindow(browser, { viewport: VIEWPORT });
  const page = await window.newPage();
  await logIn(page, n8n.url, OWNER);
  for (const name of await exampleNames()) {
    const workflow = await rest.importWorkflow(await readExample(name), credentials);
    await openWorkflow(page, instance.editorUrl(workflow));
    await fitCanvas(page);
    // "0" shows it at its full size.
    await page.keyboard.press('0');
    await page.screenshot({
      path: path.join(folder, `${name}.png`),
      clip: await areaOfWorkflow(page),
      animations: 'disabled',
    });
    taken(name);
  }
  await window.close();
}

/** The part of the page that the workflow takes up, with the names below the nodes and the lines between them. */
async function areaOfWorkflow(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  const parts = page.locator('.vue-flow__node, .vue-flow__node *, .vue-flow__edge-path');
  const seen = await parts.evaluateAll((elements) =>
    elements
      // The rest are boxes around them, and buttons that show under the pointer.
      .filter(
        (element) =>
          element.matches('.vue-flow__node, .vue-flow__edge-path') ||
          (element.childElementCount === 0 && element.textContent?.trim() !== '' && element.closest('button') === null),
      )
      .map((element) => element.getBoundingClientRect().toJSON() as DOMRect),
  );
  const left = Math.min(...seen.map((box) => box.left));
  const top = Math.min(...seen.map((box) => box.top));
  const right = Math.max(...seen.map((box) => box.right));
  const bottom = Math.max(...seen.map((box) => box.bottom));
  return { x: left - MARGIN, y: top - MARGIN, width: right - left + 2 * MARGIN, height: bottom - top + 2 * MARGIN };
}
