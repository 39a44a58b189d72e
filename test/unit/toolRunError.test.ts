import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import type { Delivered } from '../../nodes/MessagingSend/delivery/deliver';
import { unsendable } from '../../nodes/MessagingSend/messages/message';
import type { Outcome, Receipt } from '../../nodes/MessagingSend/messages/outcome';
import { runError } from '../../nodes/MessagingSend/n8n/output/runError';
import { nodeOfType } from '../support/node';
import { failureWith, messageAt, NOTHING_DELIVERED } from './samples';

const TOOL = nodeOfType('n8n-nodes-messaging-send.messagingSendTool');
const SENT: Outcome = { kind: 'sent', messageId: 1, status: 'sent' };
const NOT_SENT: Outcome = { kind: 'not_sent', failure: failureWith() };
const UNCERTAIN: Outcome = { kind: 'uncertain', failure: failureWith() };

function toolError(delivered: Partial<Delivered>) {
  return runError(TOOL, { ...NOTHING_DELIVERED, ...delivered });
}

/** The outcomes of a list, by entry. */
function list(...outcomes: Outcome[]): Receipt[] {
  const results = outcomes.map((outcome, entry) => ({ message: messageAt(0, { entry }), outcome }));
  return [{ batch: 1, results, data: null }];
}

/** The outcomes of the parts of a text. */
function inParts(entry: number | null, ...outcomes: Outcome[]): Receipt[] {
  const parted = (part: number) => messageAt(0, { entry, text: `${part}` });
  return outcomes.map((outcome, part) => ({ batch: 1, results: [{ message: parted(part), outcome }], data: null }));
}

function wrongEntry(entry: number) {
  return unsendable(
    { item: 0, entry, phone: '0' },
    failureWith({ code: 'INVALID_PHONE', message: `The number of entry ${entry} is wrong`, advice: 'Correct it.' }),
  );
}

test('A tool call without failures has no error', () => {
  expect(toolError({ receipts: list(SENT, SENT) })).toBeNull();
});

test('The error of a tool call has everything in its message, because a model sees nothing else', () => {
  const error = toolError({ receipts: inParts(null, NOT_SENT) });
  expect(error).toBeInstanceOf(NodeApiError);
  expect(error?.message).toBe('It failed. Do something. Nothing was sent.');
  expect(error?.description ?? null).toBeNull();
});

test('The error of a tool call advises against another call if the message may have been sent', () => {
  expect(toolError({ receipts: inParts(null, UNCERTAIN) })?.message).toBe(
    'It failed. The message may have been sent: check with the recipient or in the service before you send it again. Do something. Do not call this tool again until it is clear whether the message was sent.',
  );
});

test('The error of a tool call reports which entries of a list were sent', () => {
  const error = toolError({ receipts: list(SENT, SENT, SENT, UNCERTAIN, NOT_SENT, SENT) });
  expect(error?.message).toBe(
    'It failed. The message may have been sent: check with the recipient or in the service before you send it again. Do something. Entries that were sent: 0 to 2, 5. Entries that may have been sent: 3. Entries that were not sent: 4. Entries are counted from 0. Call this tool again with only the entries that were not sent.',
  );
});

test('The error of a tool call advises against another call if a part of the text was sent', () => {
  expect(toolError({ receipts: inParts(null, SENT, NOT_SENT) })?.message).toBe(
    'It failed. Do something. The message was sent in part. Do not call this tool again with the whole text.',
  );
  expect(toolError({ receipts: inParts(null, NOT_SENT, NOT_SENT) })?.message).toContain('Nothing was sent.');
});

test('The error of a tool call reports which entries of a list were sent in part', () => {
  const receipts = [...inParts(0, SENT, NOT_SENT), ...inParts(1, SENT, SENT), ...inParts(2, NOT_SENT, NOT_SENT)];
  expect(toolError({ receipts })?.message).toBe(
    'It failed. Do something. Entries that were sent: 1. Entries that were sent in part: 0. Entries that were not sent: 2. Entries are counted from 0. Call this tool again with only the entries that were not sent.',
  );
});

test('The error of a tool call names every invalid entry, and each advice once', () => {
  const error = toolError({ unsendable: [wrongEntry(1), wrongEntry(3)] });
  expect(error).toBeInstanceOf(NodeOperationError);
  expect(error?.message).toBe(
    'The number of entry 1 is wrong (entry 1 of the list); The number of entry 3 is wrong (entry 3 of the list). Correct it. Nothing was sent. Entries are counted from 0.',
  );
});

test('The error of a tool call names ten invalid entries, and counts the others', () => {
  const error = toolError({ unsendable: Array.from({ length: 12 }, (_, entry) => wrongEntry(entry)) });
  expect(error?.message).toMatch(
    /entry 9 is wrong \(entry 9 of the list\); 2 more entries can't be sent\. Correct it\./,
  );
});

test('The error of a tool call does not deny what an earlier attempt sent', () => {
  expect(toolError({ unsendable: [wrongEntry(1)], receipts: list(SENT, SENT), recalled: 1 })?.message).toContain(
    'Nothing more was sent.',
  );
});
