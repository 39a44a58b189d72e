/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import path from 'node:path';

import { type Locator } from 'playwright-core';
import sharp from 'sharp';

/** How wide a page shows a picture, in pixels. None is narrower, so that text has the same size in most of them. */
const PAGE_WIDTH = 900;

/** Hides n8n's buttons at the edges of nodes and panels, the details of an error, and round corners. */
export const STYLE = `
  [data-test-id='canvas-handle-plus-wrapper'],
  .vue-flow__node [class*='_runDataLabel_'],
  .node-error-view__info,
  [data-test-id='floating-nodes'],
  [data-test-id='node-feature-request'],
  [data-test-id='panel-drag-button'] { visibility: hidden !important; }
  :has(> [data-test-id='output-panel']) { border-radius: 0 !important; }
`;

/** Takes a picture of the area of these elements, with a margin around them. */
export type Shoot = (name: string, elements: Locator, margin?: number) => Promise<void>;

export function camera(folder: string, taken: (file: string) => void): Shoot {
  return async (name, elements, margin = 0) => {
    const file = path.join(folder, `${name}.png`);
    const { left, top, right, bottom } = await areaOf(elements);
    const width = Math.max(right - left + 2 * margin, PAGE_WIDTH);
    const clip = { x: (left + right - width) / 2, y: top - margin, width, height: bottom - top + 2 * margin };
    const picture = await elements.page().screenshot({ clip, style: STYLE, animations: 'disabled' });
    // Half as large with 256 colours, which nobody can tell apart from all.
    await sharp(picture).png({ palette: true, quality: 100 }).toFile(file);
    taken(`${name}.png`);
  };
}

/** Ends the page below these elements, so that nothing empty is below them. */
export async function endPageBelow(elements: Locator, margin: number): Promise<void> {
  const page = elements.page();
  const { bottom } = await areaOf(elements);
  await page.setViewportSize({ width: page.viewportSize()?.width ?? PAGE_WIDTH, height: Math.ceil(bottom + margin) });
}

async function areaOf(elements: Locator): Promise<{ left: number; top: number; right: number; bottom: number }> {
  await elements.first().waitFor({ state: 'attached' });
  const boxes = await elements.evaluateAll((found) =>
    found
      .map((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        // A line of text is often narrower than its element.
        const isText = element.childElementCount === 0 && element.textContent !== '';
        return (isText ? range : element).getBoundingClientRect().toJSON() as DOMRect;
      })
      .filter(({ width }) => width > 0),
  );
  return {
    left: Math.min(...boxes.map((box) => box.left)),
    top: Math.min(...boxes.map((box) => box.top)),
    right: Math.max(...boxes.map((box) => box.right)),
    bottom: Math.max(...boxes.map((box) => box.bottom)),
  };
}
