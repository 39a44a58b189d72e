import assert from 'node:assert/strict';

import { type InstanceWithSandbox } from '../../../sandbox/n8n/instance';
import { type JsonObject } from '../../../tools/json';
import { chain, items, START, start, type WorkflowNode } from '../../support/n8n/workflow';
import { itemsAt } from './world';

/** A Data Table of n8n, used as a person does who edits its rows. */
export interface DataTable {
  rows: () => Promise<JsonObject[]>;
  insert: (...rows: JsonObject[]) => Promise<void>;
  /** Changes the rows of the person of this name. */
  change: (name: string, values: JsonObject) => Promise<void>;
  /** Deletes all rows. */
  clear: () => Promise<void>;
}

const TABLE = 'Table';

/**
 * A Data Table that an example works with, by its name.
 *
 * @param columns  for the table that is created if there is none yet
 */
export function dataTable(
  instance: () => InstanceWithSandbox,
  name: string,
  columns: Array<string | { name: string; type: string }>,
): DataTable {
  const table: WorkflowNode = dataTableNode(TABLE, {
    resource: 'table',
    operation: 'create',
    tableName: name,
    columns: { column: columns.map((column) => (typeof column === 'string' ? { name: column } : column)) },
    options: { createIfNotExists: true },
  });
  const run = async (node: WorkflowNode, before: WorkflowNode[] = []): Promise<JsonObject[]> => {
    const { rest } = instance();
    const workflow = await rest.importWorkflow(chain(`Data Table ${name}`, [start(), table, ...before, node]));
    const execution = await rest.run(workflow, START);
    assert.equal(execution.status, 'success', execution.error);
    return itemsAt(execution, node.name);
  };
  const onRows = (operation: string, parameters: JsonObject) =>
    dataTableNode('Rows', {
      operation,
      dataTableId: { __rl: true, mode: 'id', value: `={{ $('${TABLE}').first().json.id }}` },
      ...parameters,
    });
  const matching = (keyName: string, condition: string, keyValue = '') => ({
    filters: { conditions: [{ keyName, condition, keyValue }] },
  });
  const all = matching('id', 'isNotEmpty');
  return {
    rows: async () => await run(onRows('get', { ...all, returnAll: true })),
    insert: async (...rows) => {
      await run(onRows('insert', { columns: { mappingMode: 'autoMapInputData' } }), [items(rows)]);
    },
    change: async (person, values) => {
      const columnsOfValues = { mappingMode: 'defineBelow', value: values };
      await run(onRows('update', { ...matching('name', 'eq', person), columns: columnsOfValues }));
    },
    clear: async () => {
      await run(onRows('deleteRows', all));
    },
  };
}

function dataTableNode(name: string, parameters: JsonObject): WorkflowNode {
  return { name, type: 'n8n-nodes-base.dataTable', typeVersion: 1.1, parameters };
}
