import { type Sandbox, type SandboxOptions } from '../../sandbox/server';
import { isObject } from '../../tools/json';

type LoggedRequest = ReturnType<Sandbox['requests']>[number];

/** A request with messages that has reached the sandbox. */
export interface SeenRequest {
  /** Completed by the sandbox when the request is answered or cut. */
  readonly logged: LoggedRequest;
  /** The messages in it, by their indexes in the campaign. */
  readonly messages: readonly number[];
}

/** The text of a message begins with its index in the campaign, so that it is known wherever it arrives. */
export function textOf(index: number): string {
  return `Message ${index}.`;
}

/** @returns the index that {@link textOf} put into a text; NaN for any other */
export function indexOf(text: unknown): number {
  return Number(/^Message (\d+)\./.exec(String(text))?.[1]);
}

/** What reaches the sandbox during one campaign. */
export class Traffic {
  private seen: SeenRequest[] = [];
  private count = 0;
  private awaited: { count: number; reached: () => void } | undefined;

  readonly onRequest: SandboxOptions['onRequest'] = (logged, messages) => {
    if (messages.length === 0) return;
    this.seen.push({ logged, messages: messages.map((each) => indexOf(isObject(each) ? each.message : undefined)) });
    this.count += messages.length;
    if (this.awaited !== undefined && this.count >= this.awaited.count) this.awaited.reached();
  };

  /** Forgets everything. */
  reset(): void {
    this.seen = [];
    this.count = 0;
    this.awaited = undefined;
  }

  /** All requests with messages, in the order of arrival. */
  requests(): readonly SeenRequest[] {
    return this.seen;
  }

  /** How many messages have arrived, whatever has become of them. */
  get arrived(): number {
    return this.count;
  }

  /** Resolves once so many messages have arrived. One wait at a time. */
  async reaches(count: number): Promise<void> {
    if (this.count >= count) return;
    await new Promise<void>((reached) => (this.awaited = { count, reached }));
  }
}
