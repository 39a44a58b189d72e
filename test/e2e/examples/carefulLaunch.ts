/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { type StoredWorkflow } from '../../../tools/n8n/workflow';
import { type ExampleWorld, itemsAt, PEOPLE, saleMessage } from '../exampleWorld';
import { answer, Asking } from '../questions';

/** A campaign, and the owner's page. */
export function tests({ instance, received, own: importOwn, succeedFrom }: ExampleWorld): void {
  const OWNER = '447700900123';
  const NOTHING_MORE = 'Nothing More Is Sent';
  const campaign = PEOPLE.map((name, index) => saleMessage(name, `44770090050${index + 1}`));
  const first = campaign.slice(0, 5);
  const withoutQuestions = () => received().filter(({ phone }) => phone !== OWNER);

  const asking = new Asking(instance);

  /** Runs it until it waits for the owner. */
  const launch = async (copy: StoredWorkflow) => {
    const asked = asking.texts(OWNER).length;
    await instance().rest.start(copy, 'Start');
    const { execution: id, text, link } = await asking.asked(copy, OWNER, asked + 1);
    return {
      question: text,
      reply: async (decision: string) => {
        await answer(link, { decision });
        const execution = await instance().rest.waitForExecution(id);
        assert.equal(execution.status, 'success', execution.error);
        return execution;
      },
    };
  };
  /** A campaign of its own, with nothing sent before. */
  let own: StoredWorkflow;
  beforeEach(async () => {
    own = await importOwn();
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
    const statuses = itemsAt(execution, 'All Outcomes').map(({ status }) => status);
    assert.deepEqual(statuses, Array(campaign.length).fill('sent'));
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
