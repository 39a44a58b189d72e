/** A person who gets a message of Send and Wait for Response. */
import assert from 'node:assert/strict';

/** What a browser would show. */
export interface Page {
  readonly status: number;
  readonly text: string;
}

/** The link at the end of a message. */
export function linkIn(message: string | undefined): string {
  return message?.split('\n').at(-1) ?? '';
}

/** Opens a link, as a browser or a preview does. */
export async function open(link: string, request: RequestInit = {}): Promise<Page> {
  const answer = await fetch(link, request);
  return { status: answer.status, text: await answer.text() };
}

/** Sends the form of the page behind a link, as a browser does. */
export async function submit(link: string, form: Record<string, string>): Promise<Page> {
  return await open(link, { method: 'POST', body: new URLSearchParams(form) });
}

/** Sends the form, and sees that the answer has arrived. */
export async function answer(link: string, form: Record<string, string>): Promise<void> {
  const { status, text } = await submit(link, form);
  assert.equal(status, 200, text);
  assert.match(text, /Thank you/);
}
