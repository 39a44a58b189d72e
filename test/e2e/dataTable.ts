/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';

import { nodesOf } from '../../tools/n8n/examples';
import { chain, items, type JsonObject, START, start, type WorkflowNode } from '../../tools/n8n/workflow';
import { type ExampleWorld, itemsAt } from './exampleWorld';

/** A Data Table of n8n, used as a person does who edits its rows. */
export type DataTable = ReturnType<typeof dataTable>;

const TABLE = 'Table';

export function dataTable({ instance, workflow }: Pick<ExampleWorld, 'instance' | 'workflow'>) {
  const creating = () =>
    nodesOf(workflow())
      .map(({ parameters }) => parameters)
      .find(({ tableName }) => tableName !== undefined);
  const run = async (node: WorkflowNode, before: WorkflowNode[] = []): Promise<JsonObject[]> => {
    const { rest } = instance();
    const table = dataTableNode(TABLE, creating() ?? {});
    const own = await rest.importWorkflow(chain('Data Table', [start(), table, ...before, node]));
    const execution = await rest.run(own, START);
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
    insert: async (...rows: JsonObject[]) => {
      await run(onRows('insert', { columns: { mappingMode: 'autoMapInputData' } }), [items(rows)]);
    },
    change: async (person: string, values: JsonObject) => {
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
