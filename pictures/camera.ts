/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import path from 'node:path';

import { type Browser, type Locator, type Page } from 'playwright-core';
import sharp from 'sharp';

import { openWindow } from '../tools/n8n/browser';
import { PROJECT_FOLDER } from '../tools/project';

const DOCS = path.join(PROJECT_FOLDER, 'docs');

/** How wide a page shows a picture, in pixels. None is narrower, so that text has the same size in most of them. */
const PAGE_WIDTH = 900;

/** How much of a page a film shows, in pixels: little enough to be read at the width of the README. */
export const FRAME = { width: 960, height: 610 };

const PHONE = { width: 390, height: 530 };

/** Hides n8n's buttons at the edges of nodes and panels, the details of an error, and round corners. */
const STYLE = `
  [data-test-id='canvas-handle-plus-wrapper'],
  .vue-flow__node [class*='_runDataLabel_'],
  .node-error-view__info,
  [data-test-id='floating-nodes'],
  [data-test-id='node-feature-request'],
  [data-test-id='panel-drag-button'] { visibility: hidden !important; }
  :has(> [data-test-id='output-panel']) { border-radius: 0 !important; }
`;

/** Takes a picture of the area of these elements, with a margin around them. */
export async function shoot(name: string, elements: Locator, margin = 0): Promise<void> {
  const { left, top, right, bottom } = await areaOf(elements);
  const width = Math.max(right - left + 2 * margin, PAGE_WIDTH);
  const clip = { x: (left + right - width) / 2, y: top - margin, width, height: bottom - top + 2 * margin };
  const picture = await elements.page().screenshot({ clip, style: STYLE, animations: 'disabled' });
  // Half as large with 256 colours, which nobody can tell apart from all.
  await sharp(picture)
    .png({ palette: true, quality: 100 })
    .toFile(path.join(DOCS, `${name}.png`));
}

/** Ends the page below these elements, so that nothing empty is below them. */
export async function endPageBelow(elements: Locator, margin: number): Promise<void> {
  const page = elements.page();
  const { bottom } = await areaOf(elements);
  await page.setViewportSize({ width: page.viewportSize()?.width ?? PAGE_WIDTH, height: Math.ceil(bottom + margin) });
}

async function areaOf(elements: Locator): Promise<Record<'left' | 'top' | 'right' | 'bottom', number>> {
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
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
}

/** What a phone shows at this address, once `use` is done. */
export async function onPhone(browser: Browser, url: string, use?: (page: Page) => Promise<void>): Promise<Buffer> {
  const window = await openWindow(browser, { viewport: PHONE, deviceScaleFactor: 2, hasTouch: true, isMobile: true });
  const page = await window.newPage();
  await page.goto(url);
  await use?.(page);
  const screen = await page.screenshot({ animations: 'disabled' });
  await window.close();
  return screen;
}

/** Makes a page of this size, of phones that show this. */
export async function showPhones(page: Page, size: typeof FRAME, screens: Buffer[]): Promise<void> {
  const phones = screens.map((screen) => `<img src="data:image/png;base64,${screen.toString('base64')}">`).join('');
  const style = `
    body { margin: 0; height: 100vh; background: #e4e7ec; display: flex; justify-content: space-evenly; align-items: center; }
    img { width: ${PHONE.width}px; border: 9px solid #1d1f23; border-radius: 30px; }
  `;
  // A page from a server could forbid the pictures.
  await page.goto('about:blank');
  await page.setViewportSize(size);
  await page.setContent(`<style>${style}</style>${phones}`);
}

/** A moving picture: what pages show, one after the other. */
export class Film {
  private readonly frames: Buffer[] = [];
  private readonly delays: number[] = [];

  /** Adds a frame of what a page shows now, from this corner on. */
  async hold(ms: number, page: Page, corner = { x: 0, y: 0 }): Promise<void> {
    this.frames.push(await page.screenshot({ clip: { ...corner, ...FRAME }, style: STYLE, animations: 'disabled' }));
    this.delays.push(ms);
  }

  /** Writes the film as a picture that repeats it without end. */
  async save(name: string): Promise<void> {
    const film = sharp(this.frames, { join: { animated: true } });
    await film.webp({ delay: this.delays, loop: 0, lossless: true }).toFile(path.join(DOCS, `${name}.webp`));
  }
}
