/** A person who gets a message of Send and Wait for Response. */
import assert from 'node:assert/strict';

/** The link at the end of a message. */
export function linkIn(message: string | undefined): string {
  return message?.split('\n').at(-1) ?? '';
}

/** Opens the link, as a browser or a preview does. */
export async function openLink(link: string): Promise<string> {
  const response = await fetch(link);
  assert.equal(response.status, 200, await response.clone().text());
  return await response.text();
}

/** Sends the form of the page behind the link. */
export async function answer(link: string, form: Record<string, string>): Promise<void> {
  const response = await fetch(link, { method: 'POST', body: new URLSearchParams(form) });
  const page = await response.text();
  assert.equal(response.status, 200, page);
  assert.match(page, /Thank you/);
}
