import { addTo } from '../../api/records';
import { placeOf, type Row } from '../../messages/row';
import { contentOf, markOf, type Recorded } from './storedReceipt';

type Placed = Pick<Recorded, 'place' | 'content'>;

/** Unique within an attempt. */
export function placeAndContent({ place, content }: Placed): string {
  return `${place} ${content}`;
}

/**
 * Finds messages in the record, and uses each entry at most once: first for unchanged messages, then for the same
 * message at another place (an item above was removed). A message with another text (it contains the time) matches the
 * entry at its place only if its person gets no other message in any attempt.
 * @param recorded by place and content
 * @returns null for a message if something was sent to its person, and nobody knows whether it was this message
 */
export function recognize(
  rows: readonly Row[],
  recorded: ReadonlyMap<string, Recorded>,
): ReadonlyMap<Row, Recorded | null> {
  const found = new Map<Row, Recorded | null>();
  const claimed = new Set<Recorded>();
  const moved: Array<Placed & { readonly row: Row }> = [];
  for (const row of rows) {
    if (row.defect !== null || row.outcome !== null) continue;
    const placed = { place: placeOf(row), content: contentOf(row) };
    const entry = recorded.get(placeAndContent(placed));
    if (entry === undefined) {
      moved.push({ row, ...placed });
      continue;
    }
    found.set(row, entry);
    claimed.add(entry);
  }
  if (moved.length === 0) return found;

  const byContent = new Map<string, Recorded[]>();
  // Reversed, so that `pop` takes the earliest entry.
  for (const entry of [...recorded.values()].reverse()) {
    if (!claimed.has(entry)) addTo(byContent, entry.content, entry);
  }
  const left: typeof moved = [];
  for (const each of moved) {
    const entry = byContent.get(each.content)?.pop();
    if (entry === undefined) left.push(each);
    else found.set(each.row, entry);
  }
  if (left.length === 0) return found;

  const byPerson = new Map<string, Recorded[]>();
  for (const entry of [...byContent.values()].flat().reverse()) addTo(byPerson, entry.person, entry);
  for (const { row, place } of left) {
    const entries = byPerson.get(markOf(row));
    if (entries === undefined) continue;
    const isOnly = !row.isOneOfSeveral && entries.every((entry) => !entry.isOneOfSeveral && entry.place === place);
    // One message, whose text was different each time it was sent.
    const latest = entries.find(({ outcome }) => outcome.kind === 'sent') ?? entries.at(-1) ?? null;
    found.set(row, isOnly ? latest : null);
  }
  return found;
}
