/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { type Browser, type Page } from 'playwright-core';

import { type InstanceWithSandbox } from '../sandbox/n8n/instance';
import {
  closeNode,
  noticeOn,
  openNode,
  openWorkflow,
  outputPanel,
  runByButton,
  showFullSize,
} from '../tools/n8n/editor';
import { contactsExampleNodes } from '../tools/n8n/examples/contactsExample';
import { Film, FRAME } from './film';
import { inboxOnPhone, messageOnPhone, showPhones } from './phones';
import { contactsFrom } from './scenes';

/** At this width, a node's input and parameters together fill a frame, and so do its parameters and output. */
const NODE = { width: 1550, height: FRAME.height + 50 };
const INPUT_SIDE = { x: 25, y: 25 };
const OUTPUT_SIDE = { x: NODE.width - 25 - FRAME.width, y: 25 };

/** In the middle of this canvas, a frame shows none of the editor's other buttons. */
const CANVAS = { width: 1720, height: 740 };
const CANVAS_MIDDLE = { x: 391, y: 91 };

/** Films the contacts example: the contacts, a run, its messages on a phone, and a second run, which sends nobody twice. */
export async function filmTour(page: Page, browser: Browser, instance: InstanceWithSandbox): Promise<Film> {
  const { credential, rest, sandbox } = instance;
  const workflow = await contactsFrom('Start', { duplicateMessages: 'sendOnceEver' });
  const { sender } = contactsExampleNodes(workflow);
  const output = outputPanel(page);
  const film = new Film();
  await page.setViewportSize(NODE);
  await openWorkflow(page, instance.editorUrl(await rest.importWorkflow(workflow, [credential])));
  await page.waitForLoadState('networkidle');

  await openNode(page, sender);
  const input = page.getByTestId('ndv-input-panel');
  await input.getByTestId('execute-previous-node').click();
  await input.getByText('250 items').first().waitFor();
  await input.getByTestId('radio-button-table').click();
  await noticeOn(page).waitFor({ state: 'detached' });
  await film.hold(3000, page, INPUT_SIDE);

  await closeNode(page);
  await page.setViewportSize(CANVAS);
  await page.getByTestId('clear-execution-data-button').click();
  await showFullSize(page);
  await film.hold(900, page, CANVAS_MIDDLE);
  await runByButton(page);
  await noticeOn(page).waitFor();
  await film.hold(2000, page, CANVAS_MIDDLE);

  await page.setViewportSize(NODE);
  await noticeOn(page).waitFor({ state: 'detached' });
  await openNode(page, sender);
  await film.hold(3600, page, OUTPUT_SIDE);

  const phones = await page.context().newPage();
  await showPhones(phones, FRAME, [await inboxOnPhone(browser, sandbox), await messageOnPhone(browser, sandbox)]);
  await film.hold(3000, phones);
  await phones.close();

  await page.getByTestId('parameter-input-duplicateMessages').scrollIntoViewIfNeeded();
  await film.hold(900, page, OUTPUT_SIDE);
  await page.getByTestId('node-execute-button').click();
  await output.getByText('245 skipped').waitFor();
  await noticeOn(page).waitFor({ state: 'detached' });
  await film.hold(3600, page, OUTPUT_SIDE);
  return film;
}
