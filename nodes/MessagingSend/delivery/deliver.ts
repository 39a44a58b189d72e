import { creditsTooLow } from '../api/answerFailure';
import { addTo } from '../api/objects';
import { balanceIn } from '../api/reply';
import { type Failure, failure, isFailure } from '../failures/failure';
import type { Journal } from '../journal/journal';
import { MAX_REMEMBERED, type Reservations } from '../journal/reservations';
import { type Batch, failed, isOpen, type Row, settle, textCount } from '../messages/row';
import type { Requests } from '../requests/requests';
import type { Outages } from './circuitBreaker';
import { Dispatch, type DispatchConfig, pack } from './dispatch';
import { type DeliveryOptions, divertToTester, keptBackOf, select, settleDuplicates } from './select';

interface Delivery extends Pick<DispatchConfig, 'operation' | 'keepBack' | 'stopOnFailure' | 'pause'> {
  readonly rows: readonly Row[];
  readonly options: DeliveryOptions;
  /** The largest batch that the user wants; null for the operation's own. */
  readonly batchSize: number | null;
  /** The account of an item's messages, or why there is none. The same account is always the same object. */
  readonly senderOf: (item: number) => Sender | Failure;
  /** Why nothing can be sent now; null if messages can. */
  readonly broken: Failure | null;
  /** Why what an earlier attempt has sent is uncertain all the same; null if it is not. */
  readonly lost: Failure | null;
  readonly journal: Journal;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

export interface Sender {
  /** Identifies the account without being a secret. */
  readonly account: string;
  readonly requests: Requests;
  readonly outages: Outages;
}

/**
 * From rows to outcomes: settles what earlier attempts have sent, what can't be sent and what the user keeps back, and
 * sends the rest from each account.
 * @returns the messages in the order of the input, each with its outcome
 */
export async function deliver(delivery: Delivery): Promise<readonly Row[]> {
  const { rows, options, stopOnFailure, keepBack, journal, pause } = delivery;
  const { duplicateMessages, testRun, dryRun } = options;
  const choice = { isOnce: duplicateMessages !== 'send', keepBack, pause };
  // The journal of a test knows the tester's number, so messages are diverted before it is asked.
  const isTest = testRun !== null && delivery.broken === null;
  if (isTest) {
    await select(rows, choice);
    divertToTester(rows, testRun);
  }
  const keptBack = async () => await keptBackOf(rows, choice);
  const lastBatch = await journal.recall({ ...delivery, keptBack }, pause);
  await pause();
  const refused = refuse(rows, delivery);
  await pause();
  // The tester's own number may be one that gets no messages.
  journal.note(await select(rows, { ...choice, isOnce: choice.isOnce && !isTest }), null);
  if (refused > 0 && stopOnFailure) for (const row of rows.filter(isOpen)) settle(row, HELD_BACK);
  await pause();

  const shares = await sharesOf(rows, lastBatch, delivery);
  if (dryRun) for (const row of rows.filter(isOpen)) settle(row, { kind: 'planned' });
  else await sendShares(shares, delivery);
  await pause();
  settleDuplicates(rows);
  await pause();
  return rows;
}

const HELD_BACK = failed(failure('heldBack'));

/** Settles messages that can't be sent, each for its own reason. @returns how many */
function refuse(rows: readonly Row[], { broken, senderOf, options }: Delivery): number {
  const isRemembered = options.duplicateMessages === 'sendOnceEver';
  const count = isRemembered ? rows.filter((row) => isOpen(row) && row.defect === null).length : 0;
  const figures = () => ({ count: count.toLocaleString('en'), limit: MAX_REMEMBERED.toLocaleString('en') });
  // A longer run would push its first messages out of the memory.
  const forAll = broken ?? (count > MAX_REMEMBERED ? failure('sendOnceTooMany', figures()) : null);
  let refused = 0;
  for (const row of rows) {
    if (row.defect !== null && row.outcome !== null) refused += 1;
    if (!isOpen(row)) continue;
    const sender = forAll ?? row.defect ?? senderOf(row.item);
    if (!isFailure(sender)) continue;
    settle(row, failed(sender));
    refused += 1;
  }
  return refused;
}

/** The batches of one account. */
interface Share extends Sender {
  readonly reservations: Reservations | null;
  readonly batches: readonly Batch[];
}

/** Divides open rows by account. Batches are numbered in the order in which the input first names the accounts. */
async function sharesOf(rows: readonly Row[], lastBatch: number, delivery: Delivery): Promise<Share[]> {
  const { senderOf, journal, options, operation, batchSize, pause } = delivery;
  const bySender = new Map<Sender, Row[]>();
  for (const row of rows) {
    const sender = isOpen(row) ? senderOf(row.item) : null;
    if (sender !== null && !isFailure(sender)) addTo(bySender, sender, row);
  }
  const size = Math.min(batchSize ?? operation.maxBatchSize, operation.maxBatchSize);
  const isCounted = options.dryRun || options.checkCreditsFirst;
  const shares: Share[] = [];
  let last = lastBatch;
  for (const [sender, own] of bySender) {
    await pause();
    const reservations = journal.reservationsOf(sender.account);
    // A single request is checked when it is reserved.
    if (reservations !== null && (own.length > size || isCounted)) await journal.takeOut(own, reservations);
    const batches = pack(own.filter(isOpen), size, last);
    shares.push({ ...sender, reservations, batches });
    last += batches.length;
  }
  return shares;
}

async function sendShares(shares: readonly Share[], delivery: Delivery): Promise<void> {
  const { options, journal, signal, onProgress } = delivery;
  const total = shares.flatMap(({ batches }) => batches).reduce((sum, batch) => sum + batch.length, 0);
  let done = 0;
  const onSettled = (messages: number) => onProgress((done += messages), total);
  const noteInFlight = () => journal.noteInFlight();
  signal?.addEventListener('abort', noteInFlight, { once: true });
  try {
    // All of them first: what one address of an account sends would lower the balance that another one reads.
    const checked = options.checkCreditsFirst ? shares : [];
    const reasons = await Promise.all(checked.map(async (share) => await whyNotCovered(share, shares)));
    await Promise.all(
      shares.map(async (share, index) => {
        const why = reasons[index] ?? null;
        if (why === null) await new Dispatch({ ...delivery, ...options, ...share, onSettled }).sendAll(share.batches);
        else for (const row of share.batches.flat()) settle(row, failed(why));
      }),
    );
  } finally {
    signal?.removeEventListener('abort', noteInFlight);
  }
}

/** Reads the balance. @returns why a share must not be sent; null if the credits cover all that its account sends */
async function whyNotCovered({ account, requests, batches }: Share, shares: readonly Share[]): Promise<Failure | null> {
  if (batches.length === 0) return null;
  // Only the Stop button ends a wait for the balance.
  const reply = await requests.readBalance().catch(() => null);
  if (reply === null) return failure('stopped');
  const balance = balanceIn(reply);
  if (isFailure(balance)) {
    const { message: reason, advice, ...details } = balance;
    return failure('creditsNotRead', { reason, advice }, { ...details, scope: 'run', outcome: 'not_sent' });
  }
  // Each text uses a credit.
  const own = shares.filter((share) => share.account === account).flatMap((share) => share.batches.flat());
  const required = own.reduce((sum, row) => sum + textCount(row), 0);
  return balance.credits >= required ? null : creditsTooLow({ required, available: balance.credits });
}
