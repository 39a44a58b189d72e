/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import path from 'node:path';

import { type Page } from 'playwright-core';
import sharp from 'sharp';

import { STYLE } from './camera';

/** How much of a page a frame shows, in pixels: little enough to be read at the width of the README. */
export const FRAME = { width: 960, height: 610 };

interface Point {
  x: number;
  y: number;
}

/** A moving picture: what pages show, one after the other. */
export class Film {
  private readonly frames: Buffer[] = [];
  private readonly delays: number[] = [];

  /** Adds a frame of what a page shows now, from this corner on. */
  async hold(ms: number, page: Page, corner: Point = { x: 0, y: 0 }): Promise<void> {
    this.frames.push(await page.screenshot({ clip: { ...corner, ...FRAME }, style: STYLE, animations: 'disabled' }));
    this.delays.push(ms);
  }

  /** Writes the film into a folder, as a picture that repeats it without end. */
  async save(folder: string, file: string): Promise<void> {
    await sharp(this.frames, { join: { animated: true } })
      .webp({ delay: this.delays, loop: 0, lossless: true })
      .toFile(path.join(folder, file));
  }
}
