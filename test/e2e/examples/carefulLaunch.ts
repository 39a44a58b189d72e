import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { asObject, type JsonObject } from '../../../tools/json';
import { type Execution } from '../../../tools/n8n/execution';
import { answer, linkIn } from '../questions';
import { copyOf, type ExampleWorld, itemsAt } from './world';

/** A campaign, and the owner's page. */
export function testCarefulLaunch({ instance, received, workflow, succeedFrom }: ExampleWorld): void {
  const OWNER = '447700900123';
  const NOTHING_MORE = 'Nothing More Is Sent';
  const PEOPLE = ['Ada Example', 'Ben Made-Up', 'Cleo Sample', 'Dan Fiction', 'Eve Invented'];
  const OTHERS = ['Finn Pretend', 'Gail Imagined', 'Hugo Dreamt'];
  const campaign = [...PEOPLE, ...OTHERS].map((name, index) => ({
    phone: `44770090050${index + 1}`,
    message: `Hello ${name}, our summer sale begins on Saturday at 9.`,
  }));
  const first = campaign.slice(0, 5);
  const withoutQuestions = () => received().filter(({ phone }) => phone !== OWNER);

  /** Runs it until it waits for the owner. */
  const launch = async (copy: JsonObject) => {
    const { rest, sandbox } = instance();
    const id = await rest.start(copy, 'Start');
    await instance().waitFor('the owner to be asked', 60, async () => {
      const execution = (await rest.executionsOf(copy)).find((each) => each.id === id);
      return execution?.status === 'waiting' ? true : undefined;
    });
    const text = sandbox
      .messages()
      .filter(({ phone }) => phone === OWNER)
      .at(-1)?.message;
    const link = linkIn(text);
    return {
      question: text?.slice(0, -link.length - 1),
      reply: async (decision: string) => await reply(id, link, decision),
    };
  };
  const reply = async (id: string, link: string, decision: string): Promise<Execution> => {
    await answer(link, { decision });
    const execution = await instance().rest.waitForExecution(id);
    assert.equal(execution.status, 'success', execution.error);
    return execution;
  };
  /** A campaign of its own, with nothing sent before. */
  let own: JsonObject;
  const importOwn = async (change: (node: JsonObject) => JsonObject = (node) => node) =>
    await instance().rest.importWorkflow(copyOf(workflow(), change), [instance().credential]);
  beforeEach(async () => {
    own = await importOwn();
  });

  test('The first five get the message, and the others once the owner approves', async () => {
    const { question, reply: answerIt } = await launch(own);
    assert.equal(question, '5 sent, 0 not sent. Send to the other 3?');
    assert.deepEqual(withoutQuestions(), first);
    const execution = await answerIt('approve');
    assert.deepEqual(withoutQuestions(), campaign);
    assert.deepEqual(
      itemsAt(execution, 'All Outcomes').map(({ status }) => status),
      campaign.map(() => 'sent'),
    );
    assert.deepEqual(itemsAt(execution, NOTHING_MORE), []);
  });

  test('After a no nothing more is sent, and started again it sends to nobody twice', async () => {
    const declined = await (await launch(own)).reply('decline');
    assert.equal(itemsAt(declined, NOTHING_MORE).length, 1);
    assert.deepEqual(withoutQuestions(), first);

    const again = await launch(own);
    assert.equal(again.question, '5 sent, 0 not sent. Send to the other 3?');
    assert.deepEqual(withoutQuestions(), first);
    await again.reply('approve');
    assert.deepEqual(withoutQuestions(), campaign);

    await (await launch(own)).reply('approve');
    assert.deepEqual(withoutQuestions(), campaign);
  });

  test('Nobody gets it twice after a no if the list has another order and another text', async () => {
    await (await launch(own)).reply('decline');
    const { rest } = instance();
    const nodes = copyOf(own, (node) => reversed(withText(node, 'Hello again'))).nodes as JsonObject[];
    own = await rest.saveNodes(own, nodes);
    const { question, reply: answerIt } = await launch(own);
    assert.equal(question, '5 sent, 0 not sent. Send to the other 3?');
    await answerIt('approve');
    assert.deepEqual(
      withoutQuestions().map(({ phone }) => phone),
      campaign.map(({ phone }) => phone),
    );
  });

  test('Without an answer in time, nothing more is sent', async () => {
    // The node that asks then passes its input on.
    const pinData = { 'Ask the Owner': [{ json: { sent: 5, not_sent: 0, uncertain: 0, others: 3 } }] };
    const execution = await succeedFrom('Start', { ...copyOf(workflow(), (node) => node), pinData });
    assert.equal(itemsAt(execution, NOTHING_MORE).length, 1);
    assert.deepEqual(received(), first);
  });

  test('The question has the outcomes of the first five: a number that is refused, an answer that is lost', async () => {
    const wrong = await launch(await importOwn(withWrongNumber));
    assert.equal(wrong.question, '4 sent, 1 not sent. Send to the other 3?');
    await wrong.reply('decline');
    instance().sandbox.setFaults([{ kind: 'reset-after', on: 'bulk' }]);
    const lost = await launch(own);
    assert.equal(lost.question, '0 sent, 0 not sent, 5 uncertain. Send to the other 3?');
    await lost.reply('decline');
  });

  test('When the question is not sent, nothing more is sent', async () => {
    instance().sandbox.setFaults([{ kind: 'status', status: 422, on: 'send', times: 9 }]);
    const execution = await instance().rest.run(own, 'Start');
    assert.equal(execution.status, 'error');
    assert.deepEqual(received(), first);
  });
}

function withText(node: JsonObject, text: string): JsonObject {
  if (node.name !== 'Send Messages') return node;
  return { ...node, parameters: { ...asObject(node.parameters, 'parameters'), message: text } };
}

/** The last contacts first. */
function reversed(node: JsonObject): JsonObject {
  return withContacts(node, (contacts) => contacts.reverse());
}

/** The second contact without a country code. */
function withWrongNumber(node: JsonObject): JsonObject {
  return withContacts(node, (contacts) =>
    contacts.map((contact, index) => (index === 1 ? { ...contact, phone: '07700 900502' } : contact)),
  );
}

function withContacts(node: JsonObject, change: (contacts: JsonObject[]) => JsonObject[]): JsonObject {
  if (node.name !== 'Contacts') return node;
  const parameters = asObject(node.parameters, 'parameters');
  const { contacts } = JSON.parse(String(parameters.jsonOutput)) as { contacts: JsonObject[] };
  return { ...node, parameters: { ...parameters, jsonOutput: JSON.stringify({ contacts: change(contacts) }) } };
}
