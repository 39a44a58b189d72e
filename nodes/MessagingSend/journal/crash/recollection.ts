import { MAX_BATCH_SIZE } from '../../api/endpoints';
import { type Failure, failure } from '../../failures/failure';
import type { Message } from '../../messages/message';
import { type Outcome, type Receipt, receiptOf } from '../../messages/outcome';
import type { FactState } from '../list/factList';
import type { Facts } from '../list/facts';
import type { Question, Recalled } from '../question';
import type { Coverage } from './coverage';
import { type Chunk, chunksOf, type PlanFacts, type PlannedMessages, type Unit, unitsIn } from './plan';

/** What an earlier attempt did that n8n was killed in. */
export type Recollection = Pick<Recalled, 'receipts' | 'pending' | 'again' | 'mayHaveSentOthers'>;

export function nothingKnown(pending: PlannedMessages): Recollection {
  return { receipts: [], pending, again: new Map(), mayHaveSentOthers: false };
}

/** Its ID was in the response, which is lost. */
const SENT: Outcome = { kind: 'sent', messageId: null, status: 'sent' };

const WHY_UNCERTAIN = failure('interrupted');
const UNCERTAIN: Outcome = { kind: 'uncertain', failure: WHY_UNCERTAIN };

type StateOf = (message: Message, unit: Unit) => FactState;

/** What an earlier attempt did with each message. */
export interface Known {
  readonly chunks: readonly Chunk[];
  readonly stateOf: StateOf;
  readonly mayHaveSentOthers: boolean;
}

/** For a plan of which nothing is known, although an earlier attempt has sent something. */
export function allOpen(chunks: readonly Chunk[]): Known {
  for (const { unit } of chunks) Object.assign(unit, { state: 'open', mayHaveSent: true });
  return { chunks, stateOf: () => 'open', mayHaveSentOthers: true };
}

/**
 * Where the texts are other ones than in the earlier attempt, a place still identifies a phone that only one message goes
 * to. Of several messages to a phone, nobody knows which was sent.
 */
function touchedPhones(chunks: readonly Chunk[], stateOf: StateOf, repeated: ReadonlySet<string>): Set<string> {
  const touched = new Set<string>();
  for (const { unit, batch } of chunks) {
    for (const message of batch.messages) {
      if (repeated.has(message.phone) && stateOf(message, unit) !== 'unknown') touched.add(message.phone);
    }
  }
  return touched;
}

/** Divides the messages of a run by what an earlier attempt did with them. */
export function divided(
  accounts: PlannedMessages,
  { chunks, stateOf, mayHaveSentOthers }: Known,
  sendUncertainAgain: boolean,
): Recollection {
  const receipts: Receipt[] = [];
  const pending = accounts.map((): Message[] => []);
  const again = new Map<Message, Failure>();
  for (const { account, batch, unit } of chunks) {
    const those = { noted: [] as Message[], open: [] as Message[] };
    for (const message of batch.messages) {
      const state = stateOf(message, unit);
      if (state === 'open' && sendUncertainAgain) again.set(message, WHY_UNCERTAIN);
      if (state === 'unknown' || again.has(message)) pending[account]?.push(message);
      else those[state].push(message);
    }
    unit.unsettled -= those.noted.length + those.open.length;
    if (those.noted.length > 0) receipts.push(receiptOf({ ...batch, messages: those.noted }, SENT));
    if (those.open.length > 0) {
      receipts.push(receiptOf({ ...batch, messages: those.open }, UNCERTAIN));
    }
  }
  return { receipts, pending, again, mayHaveSentOthers };
}

/** Of messages that are not covered, nobody knows whether an earlier attempt sent them. */
export function dividedByCoverage(
  accounts: PlannedMessages,
  coverage: Pick<Coverage, 'unitOf'>,
  sendUncertainAgain: boolean,
): Recollection {
  const receipts: Receipt[] = [];
  const again = new Map<Message, Failure>();
  const isPending = (message: Message): boolean => {
    if (coverage.unitOf(message) !== undefined) return true;
    if (sendUncertainAgain) again.set(message, WHY_UNCERTAIN);
    else receipts.push({ batch: null, results: [{ message, outcome: UNCERTAIN }], data: null });
    return sendUncertainAgain;
  };
  return { receipts, pending: accounts.map((messages) => messages.filter(isPending)), again, mayHaveSentOthers: true };
}

/**
 * Asks what an earlier attempt did with the messages of a run.
 * @param incompleteFact known where requests left without being opened
 * @param firstBatch the number of the first batch
 * @returns null where it began to send something else, so that it is unknown which of these were sent
 * @throws what the storage throws
 */
export async function askEarlier(
  facts: Facts,
  plan: PlanFacts,
  incompleteFact: string,
  { batchSize, repeated, others, unsendable }: Question,
  accounts: PlannedMessages,
  firstBatch: number,
): Promise<Known | null> {
  const asked = [plan.name, plan.allSent, plan.texts, plan.otherTexts, incompleteFact];
  const [name, allSent, texts, otherTexts, incomplete] = await facts.ask(asked);
  if (name !== 'noted') return null;
  const size = allSent === 'noted' ? batchSize : await packingOf(facts, plan, batchSize);
  if (size === null) return null;
  plan.size = size;
  plan.haveTextsChanged = texts !== 'noted' || otherTexts !== 'unknown';
  const chunks = chunksOf(accounts, size, plan.name, firstBatch);
  if (allSent !== 'noted') await askAbout(facts, chunks);
  else for (const { unit } of chunks) unit.state = 'noted';
  for (const { unit } of chunks) unit.mayHaveSent = unit.state !== 'unknown';
  const stateOf: StateOf = (message, unit) => {
    const isException = unit.state === 'noted' && unit.exceptions.has(unit.exceptionOf(message));
    const state = isException ? 'unknown' : unit.state;
    return state === 'unknown' && incomplete !== 'unknown' ? 'open' : state;
  };
  const doubtful = plan.haveTextsChanged ? touchedPhones(chunks, stateOf, repeated) : new Set();
  const hasOthers = others.length + unsendable.length > 0;
  return {
    chunks,
    stateOf: (message, unit) => (doubtful.has(message.phone) ? 'open' : stateOf(message, unit)),
    mayHaveSentOthers: incomplete !== 'unknown' || (doubtful.size > 0 && hasOthers),
  };
}

/** @returns how many messages each request of the earlier attempt had */
async function packingOf(facts: Facts, plan: PlanFacts, likely: number): Promise<number | null> {
  const others = Array.from({ length: MAX_BATCH_SIZE }, (_, index) => index + 1).filter((size) => size !== likely);
  for (const sizes of [[likely], others]) {
    const states = await facts.ask(sizes.map((size) => plan.packingOf(size)));
    const index = states.indexOf('noted');
    if (index !== -1) return sizes[index] ?? null;
  }
  return null;
}

async function askAbout(facts: Facts, chunks: readonly Chunk[]): Promise<void> {
  const units = unitsIn(chunks);
  // What another process wrote back of this question would look like a request of another attempt.
  const states = await facts.askBeforeClaim(units.map(({ fact }) => fact));
  for (const [index, unit] of units.entries()) unit.state = states[index] ?? 'open';
  const noted = units.filter(({ state }) => state === 'noted');
  const partly = await facts.ask(noted.map((unit) => unit.partly));
  const divided = new Set(noted.filter((_unit, index) => partly[index] !== 'unknown'));
  for (const { unit, batch } of chunks) {
    if (!divided.has(unit)) continue;
    const exceptions = batch.messages.map((message) => unit.exceptionOf(message));
    const own = await facts.ask(exceptions);
    // Killed while it asked, an attempt left these open.
    if (own.includes('open')) unit.state = 'open';
    for (const [index, exception] of exceptions.entries()) if (own[index] === 'noted') unit.exceptions.add(exception);
  }
}
