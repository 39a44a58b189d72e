import { MAX_BATCH_SIZE } from '../../api/endpoints';
import { type Failure, failure } from '../../failures/failure';
import type { Message } from '../../messages/message';
import { addTo } from '../../messages/order';
import type { Outcome, Result } from '../../messages/outcome';
import type { FactState } from '../list/factList';
import type { Facts } from '../list/facts';
import type { Question, Recalled } from '../question';
import type { Plan, PlannedRequest, Unit } from './plan';

/** What an earlier attempt did that n8n was killed in. */
export type Recollection = Pick<Recalled, 'receipts' | 'pending' | 'again'> & {
  /** Whether it may have sent messages of which nothing else is known. */
  readonly mayHaveSentOthers: boolean;
};

export function nothingKnown(pending: readonly Message[]): Recollection {
  return { receipts: [], pending, again: new Map(), mayHaveSentOthers: false };
}

/** Its ID was in the response, which is lost. */
const SENT: Outcome = { kind: 'sent', messageId: null, status: 'sent' };

const WHY_UNCERTAIN = failure('interrupted');
const UNCERTAIN: Outcome = { kind: 'uncertain', failure: WHY_UNCERTAIN };

type StateOf = (message: Message, unit: Unit) => FactState;

/** What is known of an earlier attempt. */
export interface Known {
  readonly stateOf: StateOf;
  /** Whether it may have sent messages that are not in the plan. */
  readonly mayHaveSentOthers: boolean;
}

export const SENT_NOTHING: Known = { stateOf: () => 'unknown', mayHaveSentOthers: false };
export const MAY_HAVE_SENT_ANYTHING: Known = { stateOf: () => 'open', mayHaveSentOthers: true };

/** Divides messages, of the plan or added since, by what an earlier attempt did with them. */
export function divide(
  messages: readonly Message[],
  plan: Plan,
  { stateOf, mayHaveSentOthers }: Known,
  sendUncertainAgain: boolean,
): Recollection {
  const settled = new Map<PlannedRequest | undefined, Result[]>();
  const again = new Map<Message, Failure>();
  const pending: Message[] = [];
  for (const unit of plan.units) Object.assign(unit, { unsettled: 0, unsent: [] });
  for (const message of messages) {
    const request = plan.requestOf(message);
    const state = request === undefined ? (mayHaveSentOthers ? 'open' : 'unknown') : stateOf(message, request.unit);
    if (state === 'noted' || (state === 'open' && !sendUncertainAgain)) {
      // Also if a later try sends its other messages: what stays uncertain must not become sent with them.
      if (state === 'open' && request?.unit.state === 'open') request.unit.isUncertain = true;
      addTo(settled, request, { message, outcome: state === 'noted' ? SENT : UNCERTAIN });
      continue;
    }
    if (state === 'open') again.set(message, WHY_UNCERTAIN);
    if (request !== undefined) request.unit.unsettled += 1;
    pending.push(message);
  }
  const receipts = [...settled].map(([request, results]) => ({ batch: request?.number ?? null, results, data: null }));
  return { receipts, pending, again, mayHaveSentOthers };
}

/**
 * Where the texts are other ones than in the earlier attempt, a place still identifies a phone that only one message goes
 * to. Of several messages to a phone, nobody knows which was sent.
 */
function touchedPhones({ units }: Plan, stateOf: StateOf, repeated: ReadonlySet<string>): Set<string> {
  const touched = new Set<string>();
  for (const unit of units) {
    for (const message of unit.messages) {
      if (repeated.has(message.phone) && stateOf(message, unit) !== 'unknown') touched.add(message.phone);
    }
  }
  return touched;
}

/**
 * Asks what an earlier attempt did with the messages of a plan.
 * @param incompleteFact known where requests left without being opened
 * @param firstBatch the number of the first batch
 * @returns null where it began to send something else, so that it is unknown which of these were sent
 * @throws what the storage throws
 */
export async function askEarlier(
  facts: Facts,
  plan: Plan,
  incompleteFact: string,
  { batchSize, repeated, unsendable }: Question,
  firstBatch: number,
): Promise<Known | null> {
  const asked = [plan.allSent, plan.texts, plan.otherTexts, incompleteFact];
  const [allSent, texts, otherTexts, incomplete] = await facts.ask(asked);
  const size = allSent === 'noted' ? batchSize : await packingOf(facts, plan, batchSize);
  if (size === null) return null;
  plan.haveTextsChanged = texts !== 'noted' || otherTexts !== 'unknown';
  plan.pack(size, firstBatch);
  if (allSent !== 'noted') await askAbout(facts, plan.units);
  else for (const unit of plan.units) unit.state = 'noted';
  for (const unit of plan.units) unit.mayHaveSent = unit.state !== 'unknown';
  const stateOf: StateOf = (message, unit) => {
    const isException = unit.state === 'noted' && unit.exceptions.has(unit.exceptionOf(message));
    const state = isException ? 'unknown' : unit.state;
    return state === 'unknown' && incomplete !== 'unknown' ? 'open' : state;
  };
  const doubtful = plan.haveTextsChanged ? touchedPhones(plan, stateOf, repeated) : new Set();
  return {
    stateOf: (message, unit) => (doubtful.has(message.phone) ? 'open' : stateOf(message, unit)),
    mayHaveSentOthers: incomplete !== 'unknown' || (doubtful.size > 0 && unsendable.length > 0),
  };
}

/** @returns how many messages each request of the earlier attempt had */
async function packingOf(facts: Facts, plan: Plan, likely: number): Promise<number | null> {
  const others = Array.from({ length: MAX_BATCH_SIZE }, (_, index) => index + 1).filter((size) => size !== likely);
  for (const sizes of [[likely], others]) {
    const states = await facts.ask(sizes.map((size) => plan.packingOf(size)));
    const index = states.indexOf('noted');
    if (index !== -1) return sizes[index] ?? null;
  }
  return null;
}

async function askAbout(facts: Facts, units: readonly Unit[]): Promise<void> {
  // What another process wrote back of this question would look like a request of another attempt.
  const states = await facts.askBeforeClaim(units.map(({ fact }) => fact));
  for (const [index, unit] of units.entries()) unit.state = states[index] ?? 'open';
  const noted = units.filter(({ state }) => state === 'noted');
  const partly = await facts.ask(noted.map((unit) => unit.partly));
  for (const unit of noted.filter((_unit, index) => partly[index] !== 'unknown')) {
    const exceptions = unit.messages.map((message) => unit.exceptionOf(message));
    const own = await facts.ask(exceptions);
    // Killed while it asked, an attempt left these open.
    if (own.includes('open')) unit.state = 'open';
    for (const [index, exception] of exceptions.entries()) if (own[index] === 'noted') unit.exceptions.add(exception);
  }
}
