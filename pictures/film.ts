import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { type Locator, type Page } from 'playwright-core';
import sharp from 'sharp';

import { STYLE } from './camera';

/** How much of a page a frame shows, in pixels: little enough to be read at the width of the README. */
export const FRAME = { width: 960, height: 610 };

/** How long each frame of a motion stays. */
const STEP_MS = 80;

/** How long the pointer stays on a button before the click. */
const AIM_MS = 400;

/** Frame by frame, how much is left of the pointer's way from the middle of the picture to a button. */
const WAY = [0.7, 0.4, 0.2, 0.08, 0];

/** How long something that has begun to change is filmed on, in frames. */
const FADE = 4;

interface Point {
  x: number;
  y: number;
}

/** A moving picture of pages. Pictures of a page are without the pointer, so the film adds it. */
export class Film {
  private readonly frames: Buffer[] = [];
  private readonly delays: number[] = [];
  private corner: Point = { x: 0, y: 0 };
  private pointer?: Point;

  constructor(private page: Page) {}

  /** Goes on with this page, from this corner on, with no pointer on it. */
  async cutTo(page: Page, corner: Point = { x: 0, y: 0 }): Promise<void> {
    this.page = page;
    this.corner = corner;
    this.pointer = undefined;
    await page.mouse.move(0, 0);
  }

  /** Adds a frame of what the page shows now. */
  async hold(ms: number): Promise<void> {
    const style = STYLE + (this.pointer === undefined ? '' : drawn(this.pointer));
    const clip = { ...this.corner, ...FRAME };
    this.frames.push(await this.page.screenshot({ clip, style, animations: 'disabled' }));
    this.delays.push(ms);
  }

  /** Moves the pointer to a button, clicks it, and films what follows until `done` is there. */
  async press(button: Locator, done: Locator): Promise<void> {
    const box = await boxOf(button);
    // Where the pointer leaves the label readable.
    const x = box.x + 0.85 * box.width;
    const y = box.y + 0.7 * box.height;
    const middle = { x: this.corner.x + FRAME.width / 2, y: this.corner.y + FRAME.height / 2 };
    for (const left of WAY) {
      this.pointer = { x: x + (middle.x - x) * left, y: y + (middle.y - y) * left };
      await this.hold(left === 0 ? AIM_MS : STEP_MS);
    }
    // Only now, as n8n's advice on the button would cover what is beside it.
    await this.page.mouse.click(x, y);
    for (let left = FADE; left > 0; left -= (await done.isVisible()) ? 1 : 0) await this.hold(STEP_MS);
  }

  /** Writes the film as a picture that repeats it without end. */
  async save(file: string): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true });
    await sharp(this.frames, { join: { animated: true } })
      .webp({ delay: this.delays, loop: 0, lossless: true })
      .toFile(file);
  }
}

async function boxOf(element: Locator): Promise<DOMRect> {
  await element.waitFor();
  return await element.evaluate((shown) => shown.getBoundingClientRect().toJSON() as DOMRect);
}

/** The style that draws the pointer here. */
function drawn({ x, y }: Point): string {
  const arrow = '<path d="M1 1v18l4.5-4 3 7.5 3.5-1.5-3-7h6z" stroke="white" stroke-width="1.5"/>';
  const image = `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="36" viewBox="0 0 16 24">${arrow}</svg>`;
  return `body::before {
    content: url('data:image/svg+xml,${encodeURIComponent(image)}');
    position: fixed; left: ${x}px; top: ${y}px; z-index: 2147483647;
  }`;
}
