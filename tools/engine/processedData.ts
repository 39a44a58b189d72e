/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
/** n8n's storage of processed data (its DeduplicationHelper and the table `processed_data`), in memory. */
import { hash as digest } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';

import { DataDeduplicationService } from 'n8n-core';
import type {
  DeduplicationItemTypes,
  DeduplicationScope,
  ICheckProcessedContextData,
  ICheckProcessedOptions,
  IDataDeduplicator,
  IDeduplicationOutput,
} from 'n8n-workflow';

import type { Lifetime } from './lifetime';

interface StorageCall {
  readonly method: 'check' | 'remove';
  readonly values: readonly DeduplicationItemTypes[];
}

interface Switches {
  delay: number;
  /** Whether a call is rejected, as by a database that is locked or full; its number is from 1. */
  refuses: (number: number) => boolean;
  onCheck: (maxEntries: number) => void;
}

const WORKING: Switches = {
  delay: 0,
  refuses: () => false,
  onCheck: () => undefined,
};

/** A caller's next call comes after fewer turns of the event loop than this. */
const QUIET_TURNS = 5;

/**
 * Mode `entries`, the only one here, works as in n8n: it reads the row of a workflow and node, changes it and writes it
 * back without a lock, so of two concurrent writes one is lost.
 */
class ProcessedData implements IDataDeduplicator {
  private rows = new Map<string, string[]>();
  private readonly owners = new WeakMap<
    object,
    { readonly rows: Map<string, string[]>; readonly lifetime?: Lifetime }
  >();
  private readonly underWay = new Map<Lifetime | undefined, number>();
  switches: Switches = WORKING;
  calls: StorageCall[] = [];

  /** Back to the start: empty and working. Earlier workflows no longer change anything. */
  reset(): void {
    this.rows = new Map();
    this.calls = [];
    this.switches = WORKING;
  }

  set(switches: Partial<Switches>): void {
    this.switches = { ...WORKING, ...switches };
  }

  /** Adds further entries to all rows. */
  fill(values: readonly string[]): void {
    for (const [key, row] of this.rows) this.rows.set(key, [...row, ...values.map(hash)]);
  }

  /** The entries of all rows, as they are stored: hashes. */
  get entries(): readonly string[] {
    return [...this.rows.values()].flat();
  }

  /** Waits for everything that a node left under way when it ended. */
  async idle(lifetime: Lifetime): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS && !lifetime.isOver; quiet += 1) {
      await setImmediate();
      if ((this.underWay.get(lifetime) ?? 0) > 0) quiet = 0;
    }
  }

  /** Calls for this workflow end with its n8n, and have no effect after a reset. */
  belongsTo(workflow: object, lifetime?: Lifetime): void {
    this.owners.set(workflow, { rows: this.rows, ...(lifetime && { lifetime }) });
  }

  async checkProcessedAndRecord(
    values: DeduplicationItemTypes[],
    scope: DeduplicationScope,
    of: ICheckProcessedContextData,
    { mode, maxEntries = 0 }: ICheckProcessedOptions,
  ): Promise<IDeduplicationOutput> {
    const result: IDeduplicationOutput = { new: [], processed: [] };
    this.switches.onCheck(maxEntries);
    await this.change({ method: 'check', values }, scope, of, mode, (row) => {
      const known = new Set(row);
      const data = [...(row ?? [])];
      for (const value of values) {
        const entry = hash(value);
        if (known.has(entry)) {
          result.processed.push(value);
        } else {
          result.new.push(value);
          data.push(entry);
        }
      }
      return maxEntries > 0 ? data.slice(-maxEntries) : data;
    });
    return result;
  }

  async removeProcessed(
    values: DeduplicationItemTypes[],
    scope: DeduplicationScope,
    of: ICheckProcessedContextData,
    { mode }: ICheckProcessedOptions,
  ): Promise<void> {
    await this.change({ method: 'remove', values }, scope, of, mode, (row) => {
      if (row === undefined) return null;
      const data = [...row];
      for (const entry of values.map(hash)) {
        const index = data.indexOf(entry);
        if (index !== -1) data.splice(index, 1);
      }
      return data;
    });
  }

  async clearAllProcessedItems(): Promise<never> {
    return await Promise.reject(new Error('the node clears nothing'));
  }

  async getProcessedDataCount(): Promise<never> {
    return await Promise.reject(new Error('the node counts nothing'));
  }

  /** @param changed the row's new entries; null leaves the row as it is */
  private async change(
    call: StorageCall,
    scope: DeduplicationScope,
    of: ICheckProcessedContextData,
    mode: string,
    changed: (row: string[] | undefined) => string[] | null,
  ): Promise<void> {
    const { rows = this.rows, lifetime } = this.owners.get(of.workflow) ?? {};
    const count = (change: number) => this.underWay.set(lifetime, (this.underWay.get(lifetime) ?? 0) + change);
    count(1);
    try {
      await lifetime?.reach('writing');
      this.calls.push(call);
      const number = this.calls.length;
      const { delay, refuses } = this.switches;
      if (delay > 0) await setTimeout(delay);
      const key = keyOf(scope, of, mode);
      const row = rows.get(key);
      await setImmediate();
      if (refuses(number)) throw new Error('SQLITE_BUSY: database is locked');
      const data = changed(row);
      await lifetime?.survive();
      if (data !== null) {
        if (row === undefined && rows.has(key)) throw new Error('SQLITE_CONSTRAINT: UNIQUE constraint failed');
        rows.set(key, data);
      }
      await setImmediate();
      await lifetime?.reach('written');
    } finally {
      count(-1);
    }
  }
}

/** @throws whenever n8n does */
function keyOf(scope: DeduplicationScope, { workflow, node }: ICheckProcessedContextData, mode: string): string {
  if (mode !== 'entries') throw new Error(`there is no mode ${mode} here`);
  if (workflow.id === '') throw new Error('the workflow has no ID');
  if (scope === 'workflow') return workflow.id;
  if (node === undefined) throw new Error("scope 'node' needs a node");
  return `${workflow.id} n:${node.id}`;
}

function hash(value: DeduplicationItemTypes): string {
  return digest('md5', value.toString(), 'base64');
}

export const processedData = new ProcessedData();

// n8n's server does this at its start.
void DataDeduplicationService.init(processedData);
