/** The rules by which nobody gets a message twice, each of which can be switched off, to see who then gets one. */
import type { JsonRecord } from '../../../nodes/MessagingSend/api/records';
import { CrashLedger } from '../../../nodes/MessagingSend/journal/crash/crashLedger';
import type { FactState } from '../../../nodes/MessagingSend/journal/list/factList';
import { Facts } from '../../../nodes/MessagingSend/journal/list/facts';
import { DeliveryRecord } from '../../../nodes/MessagingSend/journal/record/deliveryRecord';

export const RULES = {
  ask: 'A Retry asks the attempts before it what they have begun',
  note: 'A page is noted before its request leaves',
  run: 'Only if the list says that the run has started does its silence mean that nothing was begun',
  bar: 'What an earlier attempt has not begun is barred before it is sent',
  record: 'What the execution itself contains counts, whatever the list says',
  contained: 'An attempt is asked about unless the execution contains its outcomes',
  repeat: 'What a run relies on is repeated by each later write',
  open: 'What was begun and has no end is uncertain',
  texts: 'Where the texts are other ones, of several to a phone nobody knows which was sent',
  again: 'A claim is looked at again once the writes of others have ended',
  single: 'Of one execution, one attempt at a time runs in a process',
} as const;

export type Rule = keyof typeof RULES;

type Recorded = Parameters<Facts['record']>[0];

/** Facts that follow all rules but one, and tell what they do. */
export class FactsWithout extends Facts {
  constructor(
    private readonly off: Rule | null,
    private readonly told: {
      readonly story: (text: string) => void;
      readonly noted: () => void;
      readonly opened: (names: readonly string[]) => void;
    },
    ...given: ConstructorParameters<typeof Facts>
  ) {
    super(...given);
  }

  override async ask(names: readonly string[]): Promise<FactState[]> {
    const answers = await super.ask(names);
    const states = answers.map((state, index): FactState => {
      const name = names[index] ?? '';
      if (this.off === 'ask' && name.includes(' page ')) return 'unknown';
      if (this.off === 'open' && state === 'open') return 'unknown';
      if (this.off === 'texts' && name.includes(' with ')) return 'noted';
      return state;
    });
    const found = states.flatMap((state, index) =>
      state === 'unknown' ? [] : [`${wordsFor(names[index])} is ${state}`],
    );
    if (found.length > 0) this.told.story(`finds that ${found.join(', ')}`);
    return states;
  }

  override async record(states: Recorded, fresh: readonly string[] = []): Promise<boolean> {
    const { noted = [], open = [], barred = [] } = states;
    this.told.opened(open);
    if (this.off === 'note' && open.length > 0) return false;
    const given = this.off === 'bar' ? { noted, open } : states;
    const isTaken = await super.record(
      given,
      this.off === 'bar' ? fresh.filter((name) => !name.includes(' page ')) : fresh,
    );
    if (noted.length > 0) this.told.noted();
    const words = Object.entries({ notes: noted, opens: open, bars: barred })
      .filter(([, names]) => names.length > 0)
      .map(([verb, names]) => `${verb} ${names.map(wordsFor).join(', ')}`);
    this.told.story(`${words.join(', ')}${isTaken ? ', and sees that another attempt has it' : ''}`);
    if (this.off === 'repeat') for (const fact of [...this.list.known.all.keys()]) this.list.known.hold(fact, null);
    return isTaken;
  }

  override async claim(names: readonly string[]): Promise<FactState[]> {
    this.told.opened(names);
    const states = await super.claim(names);
    this.told.story(
      `claims ${names.map(wordsFor).join(', ')}: ${states.map((state) => (state === 'unknown' ? 'won' : state)).join()}`,
    );
    return states;
  }
}

function wordsFor(name = ''): string {
  const [, attempt, page, rest] = / attempt (\d+)(?: page (\d+))?(.*)/.exec(name) ?? [];
  if (attempt === undefined) return name.startsWith('[') ? 'the message' : 'the run';
  if (page !== undefined) return `page ${Number(page) + 1} of attempt ${attempt}`;
  if (rest?.startsWith(' all') === true) return `all of attempt ${attempt}`;
  if (rest?.startsWith(' of') === true) return 'its recipients';
  if (rest?.startsWith(' with') === true) return 'its texts';
  return `attempt ${attempt}`;
}

export class LedgerWithout extends CrashLedger {
  constructor(
    private readonly off: Rule | null,
    ...given: ConstructorParameters<typeof CrashLedger>
  ) {
    super(...given);
  }

  override async hasGap(): Promise<boolean> {
    return this.off !== 'run' && (await super.hasGap());
  }
}

export class RecordWithout extends DeliveryRecord {
  constructor(
    private readonly off: Rule | null,
    kept: JsonRecord,
  ) {
    super(kept, 0);
  }

  override get attempts(): number {
    return this.off === 'contained' ? 1 : super.attempts;
  }

  override set attempts(count: number) {
    super.attempts = count;
  }

  override recall(...given: Parameters<DeliveryRecord['recall']>): ReturnType<DeliveryRecord['recall']> {
    const recalled = super.recall(...given);
    return this.off === 'record' ? { ...recalled, recorded: null } : recalled;
  }
}
