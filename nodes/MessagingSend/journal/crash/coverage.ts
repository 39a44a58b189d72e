import type { Batch, Message } from '../../messages/message';
import { placeOf } from '../identity';
import { type Chunk, type PlannedMessages, type Unit, unitsIn } from './plan';

/** Which unit each message of a run belongs to. */
export class Coverage {
  private byFirstMessage: ReadonlyMap<Message | undefined, Chunk>;
  /** Made where batches are not the chunks. */
  private byMessage: ReadonlyMap<Message, Unit> | null = null;

  constructor(private readonly chunks: readonly Chunk[]) {
    this.byFirstMessage = new Map(chunks.map((chunk) => [chunk.batch.messages[0], chunk]));
  }

  get units(): readonly Unit[] {
    return unitsIn(this.chunks);
  }

  /** Finds the units of the messages that a second attempt of the same execution sends (Retry On Fail). */
  coverAgain(accounts: PlannedMessages): void {
    const byPlace = new Map<string, Unit>();
    for (const { unit, batch } of this.chunks) {
      unit.unsettled = 0;
      unit.unsent = [];
      for (const message of batch.messages) byPlace.set(placeAndPhone(message), unit);
    }
    const byMessage = new Map<Message, Unit>();
    for (const message of accounts.flat()) {
      const unit = byPlace.get(placeAndPhone(message));
      if (unit === undefined) continue;
      byMessage.set(message, unit);
      unit.unsettled += 1;
    }
    this.byFirstMessage = new Map();
    this.byMessage = byMessage;
  }

  unitsOf({ messages }: Batch): readonly Unit[] {
    const chunk = this.chunkOf(messages.length, (index) => messages[index]);
    return chunk === null ? [...new Set(messages.flatMap((message) => this.unitOf(message) ?? []))] : [chunk.unit];
  }

  /** Whether each message of a batch belongs to a unit; not one that was added since the first try (Retry On Fail). */
  covers({ messages }: Batch): boolean {
    const chunk = this.chunkOf(messages.length, (index) => messages[index]);
    return chunk !== null || messages.every((message) => this.unitOf(message) !== undefined);
  }

  /** The chunk that has exactly these messages, as most batches do. */
  chunkOf(length: number, messageAt: (index: number) => Message | undefined): Chunk | null {
    const chunk = this.byFirstMessage.get(messageAt(0));
    if (chunk?.batch.messages.length !== length) return null;
    return chunk.batch.messages.every((message, index) => message === messageAt(index)) ? chunk : null;
  }

  unitOf(message: Message): Unit | undefined {
    this.byMessage ??= new Map(
      this.chunks.flatMap(({ unit, batch }) => batch.messages.map((each) => [each, unit] as const)),
    );
    return this.byMessage.get(message);
  }
}

function placeAndPhone(message: Message): string {
  return `${placeOf(message)} ${message.phone}`;
}
