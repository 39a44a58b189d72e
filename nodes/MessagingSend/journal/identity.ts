import { createHash } from 'node:crypto';

import type { Message, Origin } from '../messages/message';

/** Where a message came from, as a text: `12`, `12.3` for an entry of a list, `12.3.0` for a part. */
export function placeOf({ item, entry, part }: Origin): string {
  if (part !== null) return `${item}.${entry ?? ''}.${part}`;
  return entry === null ? `${item}` : `${item}.${entry}`;
}

/** Reads what {@link placeOf} wrote. */
export function originOf(place: string): Origin {
  const [item = '', entry = '', part] = place.split('.');
  return {
    item: Number(item),
    entry: entry === '' ? null : Number(entry),
    part: part === undefined ? null : Number(part),
  };
}

export function isPlaceOfPart(place: string): boolean {
  return place.split('.').length === 3;
}

/** Number and text of a message in 12 characters: 72 bits, so that two texts are not taken for one. */
export function fingerprintOf({ phone, text }: Message): string {
  // As JSON, which writes even broken characters apart, each in its own way.
  return createHash('sha256')
    .update(JSON.stringify([phone, text]))
    .digest('base64')
    .slice(0, 12);
}
