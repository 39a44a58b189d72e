import assert from 'node:assert/strict';

import { asObject, asString, isObject } from '../../tools/json';
import { type OfferedTool } from './chatProtocol';
import { GET_BALANCE, SEND, SEND_BULK, tool } from './toolWorkflow';

/** The tools as they are when a user has picked their operation and credential in the editor, and nothing else. */
export const UNTOUCHED = [
  tool('Get credit balance in Messaging Send', GET_BALANCE),
  tool('Send text message to phone number in Messaging Send', SEND),
  tool('Send text messages to many phone numbers in Messaging Send', SEND_BULK),
];

/** The names that a model calls them by. */
export const BALANCE_TOOL = 'Get_credit_balance_in_Messaging_Send';
export const SEND_TOOL = 'Send_text_message_to_phone_number_in_Messaging_Send';
export const BULK_TOOL = 'Send_text_messages_to_many_phone_numbers_in_Messaging_Send';

/** Checks that {@link UNTOUCHED} make sense to a model, which sees only this of them. */
export function assertToolsExplainThemselves(tools: OfferedTool[]): void {
  console.log(tools.map(shown).join('\n'));
  const of = (name: string) => {
    const found = tools.find((candidate) => candidate.name === name);
    assert.ok(found, `${name} is offered`);
    return found;
  };
  assert.equal(tools.length, 3);
  assert.equal(of(BALANCE_TOOL).description, 'Get credit balance in Messaging Send');
  assert.deepEqual(inputs(of(BALANCE_TOOL)), {});

  assert.equal(of(SEND_TOOL).description, 'Send text message to phone number in Messaging Send');
  const send = inputs(of(SEND_TOOL));
  assert.deepEqual(Object.keys(send), ['Phone', 'Message']);
  assert.match(send.Phone ?? '', /with the country code and digits only, such as 447700900123/);
  assert.match(send.Message ?? '', /at most 1,000 characters\. Every call sends a message and uses a credit/);

  assert.equal(of(BULK_TOOL).description, 'Send text messages to many phone numbers in Messaging Send');
  const bulk = inputs(of(BULK_TOOL));
  assert.deepEqual(Object.keys(bulk), ['Messages']);
  assert.match(
    bulk.Messages ?? '',
    /JSON array with one object for each: \[\{ "phone": "447700900123", "message": "Hello" \}\]/,
  );
  assert.match(bulk.Messages ?? '', /country code.*at most 1,000 characters.*credit/);
}

/** The inputs that a tool needs, each with its description. */
function inputs({ schema }: OfferedTool): Record<string, string> {
  const properties = Object.entries(asObject(schema.properties ?? {}, 'properties'));
  assert.deepEqual(
    schema.required ?? [],
    properties.map(([name]) => name),
  );
  return Object.fromEntries(
    properties.map(([name, property]) => [name, isObject(property) ? asString(property.description, name) : '']),
  );
}

function shown(offered: OfferedTool): string {
  return `${offered.name}: ${offered.description}\n${Object.entries(inputs(offered))
    .map(([name, text]) => `  ${name}: ${text}\n`)
    .join('')}`;
}
