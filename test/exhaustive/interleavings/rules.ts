/** The rules that keep a message from being sent twice. Each can be switched off, to see who then gets one. */
import type { JsonObject } from '../../../nodes/MessagingSend/api/objects';
import { DeliveryRecord } from '../../../nodes/MessagingSend/journal/deliveryRecord';
import type { FactState } from '../../../nodes/MessagingSend/journal/list/factList';
import { Facts } from '../../../nodes/MessagingSend/journal/list/facts';

export const RULES = {
  start: 'If the list does not say that a run has started, its silence proves nothing',
  note: 'A page is opened before a request with it leaves',
  bar: 'Before a Retry sends what an earlier attempt has not begun, it bars it',
  plan: 'What an earlier attempt has not planned may have been on another of its pages',
  named: 'The execution lists the numbers of the attempts whose outcomes it contains, not how many they are',
  record: 'What the execution contains counts, whatever the list says',
  again: 'A claim is looked at again when the writes of others have ended',
  repeat: 'What another process overwrites is written again with the next write',
  single: 'In one process, one attempt at a time of an execution',
  rest: 'A page of which the user keeps something back stays open, and another note says that the rest is sent',
  ask: 'A Retry asks what the attempts before it have begun, and what has no end is uncertain',
  contained: 'An attempt whose outcomes the execution contains is not asked about',
  end: 'A run stores its last notes before it ends',
} as const;

export type Rule = keyof typeof RULES;

/** Notified of each step of an attempt. */
export interface Listener {
  /** A page in words, by its name. */
  readonly wordsFor: (page: string) => string;
  /** Whether no attempt follows, so that a story need not tell what it opens. */
  readonly isLast: boolean;
  readonly tell: (text: string) => void;
  /** Tells later what happens when the list answers next. */
  readonly tellOfAnswer: () => (text: string) => void;
  readonly onStarted: () => void;
  /** What it has begun, or is about to begin: pages, or messages that are sent once in all executions. */
  readonly onBegun: (names: readonly string[]) => void;
}

const isOfPage = (name: string) => name.includes(' page ');

/** Facts that follow all rules but one. */
export class FactsWithout extends Facts {
  private readonly nameOf = new Map<string, string>();
  /** Whether it has found another attempt that makes the same, and sends no more. */
  private hasStopped = false;

  constructor(
    private readonly off: Rule | null,
    private readonly listener: Listener,
    ...given: ConstructorParameters<typeof Facts>
  ) {
    super(...given);
  }

  override of(name: string): string {
    const named = this.off === 'rest' ? name.replace(/ but .*/, '') : name;
    const fact = super.of(named);
    this.nameOf.set(fact, named);
    return fact;
  }

  private namesOf(facts: readonly string[]): string[] {
    return facts.map((fact) => this.nameOf.get(fact) ?? '');
  }

  /** Pages in a story; null if these are none. */
  private wordsFor(facts: readonly string[]): string | null {
    const words = this.namesOf(facts).flatMap((name) => {
      const [, page = '', but = ''] = / page (\S+)( but)?/.exec(name) ?? [];
      return page === '' ? [] : [`${but === '' ? '' : 'the rest of '}${this.listener.wordsFor(page)}`];
    });
    return words.length === 0 ? null : [...new Set(words)].join(' and ');
  }

  override async ask(facts: readonly string[], inFlight?: FactState): Promise<FactState[]> {
    const names = this.namesOf(facts);
    // Another attempt can mistake a question for a claim.
    this.listener.onBegun(names);
    const tell = this.listener.tellOfAnswer();
    const answers = await super.ask(facts, inFlight);
    const states = answers.map((state, index): FactState => {
      const name = names[index] ?? '';
      if (this.off === 'ask' && isOfPage(name)) return 'unknown';
      return this.off === 'plan' && name.includes(' plans ') ? 'noted' : state;
    });
    const found = (['open', 'noted', 'barred'] as const).flatMap((state) => {
      const words = this.wordsFor(facts.filter((_fact, index) => states[index] === state));
      return words === null ? [] : [`${words} ${state === 'noted' ? 'sent' : state}`];
    });
    if (found.length > 0) tell(`finds ${found.join(', and ')}`);
    return states;
  }

  override async store(states: Parameters<Facts['store']>[0], fresh: readonly string[] = []): Promise<boolean> {
    const { noted = [], open = [], barred = [] } = states;
    this.listener.onBegun(this.namesOf(open));
    if (this.off === 'note' && open.length > 0) return false;
    if (this.off === 'end' && this.namesOf(noted).some((name) => name.includes(' but '))) return false;
    const isTaken =
      this.off === 'bar'
        ? await super.store(
            { noted, open },
            fresh.filter((fact) => !barred.includes(fact)),
          )
        : await super.store(states, fresh);
    if (noted.length > 0) this.listener.onStarted();
    const toBar = this.off === 'bar' ? [] : barred;
    const done = Object.entries({ note: noted, open: this.listener.isLast ? [] : open, bar: toBar }).flatMap(
      ([verb, facts]) => {
        const words = this.wordsFor(facts);
        return words === null ? [] : [[verb, words] as const];
      },
    );
    const tried = done.map(([verb, words]) => `tries to ${verb} ${words}, finds one begun`);
    const told = isTaken ? tried : done.map(([verb, words]) => `${verb}s ${words}`);
    if (told.length > 0 && !this.hasStopped) this.listener.tell(told.join(', '));
    this.hasStopped ||= isTaken;
    if (this.off === 'repeat') for (const fact of this.list.known.keys()) this.list.change({ fact });
    return isTaken;
  }

  override async claim(facts: readonly string[]): Promise<FactState[]> {
    this.listener.onBegun(this.namesOf(facts));
    const states = await super.claim(facts);
    this.listener.tell(states.every((state) => state === 'unknown') ? 'claims the message' : 'finds it claimed');
    return states;
  }
}

export class RecordWithout extends DeliveryRecord {
  constructor(
    private readonly off: Rule | null,
    kept: JsonObject,
  ) {
    super(kept, 0);
    let { attempts } = this.run;
    const known = () =>
      this.off === 'named' ? Array.from({ length: Math.max(0, ...attempts) }, (_, index) => index + 1) : attempts;
    Object.defineProperty(this.run, 'attempts', {
      get: () => (this.off === 'contained' ? [] : known()),
      set: (numbers: readonly number[]) => (attempts = numbers),
      enumerable: true,
    });
  }

  override markInterrupted(): void {
    if (this.off !== 'start') super.markInterrupted();
  }

  override lookUp(...given: Parameters<DeliveryRecord['lookUp']>): ReturnType<DeliveryRecord['lookUp']> {
    const recalled = super.lookUp(...given);
    return this.off === 'record' ? { ...recalled, recorded: new Map() } : recalled;
  }
}
