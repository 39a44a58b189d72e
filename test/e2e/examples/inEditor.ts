import assert from 'node:assert/strict';

import { type Page, type Response } from 'playwright-core';

import { asArray, asObject, asString } from '../../../tools/json';
import { closeNode, openNode, openWorkflow } from '../../../tools/n8n/editor';
import { executeNode } from '../editorParts';
import { type ExampleWorld } from './world';

/**
 * Opens nodes of the example in the editor, one after the other, and clicks Execute step in each; sees that opening them
 * changes nothing, and that n8n asks for no second click.
 *
 * @param steps  nodes that fill a Data Table, by their name, and what else happens between
 */
export async function executeInEditor(
  { instance, inEditor, workflow }: ExampleWorld,
  name: string,
  steps: Array<string | (() => Promise<unknown>)>,
): Promise<void> {
  await inEditor(name, async (page) => {
    await openWorkflow(page, instance().editorUrl(workflow()));
    for (const step of steps) {
      if (typeof step !== 'string') {
        await step();
        continue;
      }
      await openAndLoad(page, step);
      assert.equal(await page.getByTestId('node-run-info-stale').count(), 0, `${step} asks for another click`);
      const started = page.waitForResponse((answer) => new URL(answer.url()).pathname.endsWith('/run'));
      await executeNode(page);
      const { executionId, changed } = await readStart(await started);
      assert.deepEqual(changed, [], 'the editor changed nodes that were only opened');
      assert.equal((await instance().rest.waitForExecution(executionId)).status, 'success');
      await closeNode(page);
    }
  });
}

/** Opens a Data Table node and waits until the editor has compared its columns with those of the table. */
async function openAndLoad(page: Page, node: string): Promise<void> {
  const loaded = page.waitForResponse((answer) => answer.url().endsWith('/resource-mapper-fields'));
  await openNode(page, node);
  await loaded;
}

/** What the editor asked n8n to run: the execution, and the nodes whose parameters are no longer those of the last one. */
async function readStart(answer: Response): Promise<{ executionId: string; changed: unknown[] }> {
  const { dirtyNodeNames = [] } = asObject(answer.request().postDataJSON(), 'the request');
  const { executionId } = asObject(asObject(await answer.json(), 'the answer').data, 'data');
  return { executionId: asString(executionId, 'executionId'), changed: asArray(dirtyNodeNames, 'dirtyNodeNames') };
}
