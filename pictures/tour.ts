import { type Browser, type Page } from 'playwright-core';

import { type InstanceWithSandbox } from '../sandbox/n8n/instance';
import { closeNode, noticeOn, openNode, openWorkflow, outputPanel, showFullSize } from '../tools/n8n/editor';
import { provideContacts } from '../tools/n8n/examples/contacts';
import { CONTACTS_EXAMPLE, contactsExampleNodes } from '../tools/n8n/examples/contactsExample';
import { readExample } from '../tools/n8n/examples/files';
import { Film, FRAME } from './film';
import { inboxOnPhone, messageOnPhone, showPhones } from './phones';
import { sendingOnce } from './scenes';

/** At this width, a node's input and parameters together fill a frame, and so do its parameters and output. */
const NODE = { width: 1550, height: FRAME.height + 50 };
const INPUT_SIDE = { x: 25, y: 25 };
const OUTPUT_SIDE = { x: NODE.width - 25 - FRAME.width, y: 25 };

/** In the middle of this canvas, a frame shows none of the editor's other buttons. */
const CANVAS = { width: 1720, height: 740 };
const CANVAS_MIDDLE = { x: 391, y: 91 };

/** Films the contacts example: the contacts, a run, its messages on a phone, and a second run, which sends nobody twice. */
export async function filmTour(page: Page, browser: Browser, instance: InstanceWithSandbox): Promise<Film> {
  const { credential, folder, rest, sandbox } = instance;
  const { sender } = contactsExampleNodes(await readExample(CONTACTS_EXAMPLE));
  const output = outputPanel(page);

  await provideContacts(folder);
  const stored = await rest.importWorkflow(await sendingOnce(), [credential]);
  await page.setViewportSize(NODE);
  await openWorkflow(page, instance.editorUrl(stored));
  await page.waitForLoadState('networkidle');

  await openNode(page, sender);
  const input = page.getByTestId('ndv-input-panel');
  await input.getByTestId('execute-previous-node').click();
  await input.getByText('250 items').first().waitFor();
  await input.getByTestId('radio-button-table').click();
  await noticeOn(page).waitFor({ state: 'detached' });
  const film = new Film(page);
  await film.cutTo(page, INPUT_SIDE);
  await film.hold(3000);

  await closeNode(page);
  await page.setViewportSize(CANVAS);
  await page.getByTestId('clear-execution-data-button').click();
  await showFullSize(page);
  await film.cutTo(page, CANVAS_MIDDLE);
  await film.hold(700);
  await film.press(page.getByTestId('execute-workflow-button'), noticeOn(page));
  await film.hold(1500);

  await page.setViewportSize(NODE);
  await noticeOn(page).waitFor({ state: 'detached' });
  await openNode(page, sender);
  await film.cutTo(page, OUTPUT_SIDE);
  await film.hold(3400);

  const phones = await page.context().newPage();
  await showPhones(phones, FRAME, [await inboxOnPhone(browser, sandbox), await messageOnPhone(browser, sandbox)]);
  await film.cutTo(phones);
  await film.hold(2800);
  await phones.close();

  await page.getByTestId('parameter-input-duplicateMessages').scrollIntoViewIfNeeded();
  await film.cutTo(page, OUTPUT_SIDE);
  await film.hold(700);
  await film.press(page.getByTestId('node-execute-button'), output.getByText('245 skipped'));
  await noticeOn(page).waitFor({ state: 'detached' });
  await film.hold(3600);
  return film;
}
