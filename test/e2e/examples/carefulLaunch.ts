import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { type JsonObject } from '../../../tools/json';
import { type Execution } from '../../../tools/n8n/execution';
import { copyOf, type ExampleWorld, itemsAt, PEOPLE, saleMessage, withoutDryRun } from '../exampleWorld';
import { answer, linkIn } from '../questions';

/** A campaign, and the owner's page. */
export function tests({ instance, received, workflow, succeedFrom }: ExampleWorld): void {
  const OWNER = '447700900123';
  const NOTHING_MORE = 'Nothing More Is Sent';
  const campaign = PEOPLE.map((name, index) => saleMessage(name, `44770090050${index + 1}`));
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
  beforeEach(async () => {
    own = await instance().rest.importWorkflow(copyOf(workflow(), withoutDryRun));
  });

  test('As it is imported, it shows the texts of the whole list and asks nobody', async () => {
    const execution = await succeedFrom('Start');
    const shown = itemsAt(execution, 'Send Messages').map(({ phone, message }) => ({ phone, message }));
    assert.deepEqual([shown, received()], [campaign, []]);
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
}
