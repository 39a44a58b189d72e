import assert from 'node:assert/strict';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { parse } from 'csv-parse/sync';
import { NodeHelpers, type INode, type INodeTypeDescription } from 'n8n-workflow';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openWindow } from '../../demo/browser.js';
import { EXAMPLE_CONTACTS, expectedPhone, readContacts } from '../../demo/contacts.js';
import { openWorkflow, runByButton } from '../../demo/editor.js';
import { CONTACTS_FILE } from '../../demo/example.js';
import { CALLER, MCP_TOKEN, storeExampleCredentials, VISITOR } from '../../demo/exampleCredentials.js';
import { exampleNames, nodesOf, readExampleFile } from '../../demo/exampleFiles.js';
import type { Execution } from '../../demo/execution.js';
import { asArray, asObject, asString, type JsonObject } from '../../demo/json.js';
import { filesFolderOf } from '../../demo/n8n.js';
import { CURRENT, SUPPORTED } from '../../demo/releases.js';
import type { StoredCredential } from '../../demo/rest.js';
import { startChatModel, type ChatModel } from './chatModel.js';
import { sayInChat } from './editorParts.js';
import { editorForTests } from './inEditor.js';
import { plain } from './recipients.js';
import { stageForTests, stopped } from './stage.js';

const DEADLINE = { seconds: 60, signal: stopped.signal };

describe(`n8n ${CURRENT}`, () => {
  const stage = stageForTests();
  const inEditor = editorForTests(stage);
  let model: ChatModel;
  let credentials: StoredCredential[];
  before(async () => {
    model = await startChatModel();
    credentials = [stage().credential, ...(await storeExampleCredentials(stage().rest, model.url))];
  });
  after(async () => await model.close());
  beforeEach(() => stage().sandbox.reset());

  const tested: string[] = [];
  /** The tests of the example of this name; `stored` gives its workflow, imported as it is and given its credentials. */
  const example = (name: string, tests: (stored: () => JsonObject) => void) => {
    tested.push(name);
    describe(name, () => {
      let workflow: JsonObject;
      before(async () => void (workflow = await stage().rest.importWorkflow(await readExampleFile(name), credentials)));
      tests(() => workflow);
    });
  };
  const activated = (workflow: () => JsonObject) => {
    before(async () => await stage().rest.activate(workflow(), DEADLINE));
    after(async () => await stage().rest.deactivate(workflow(), DEADLINE));
  };
  const runFrom = async (trigger: string, workflow: JsonObject): Promise<Execution> => {
    const { rest } = stage();
    return await rest.waitForExecution(await rest.run(workflow, trigger), DEADLINE);
  };
  const received = () => plain(stage().sandbox.messages());
  const itemsAt = (execution: Execution, node: string) => execution.runsOf(node).flatMap(({ outputs }) => outputs[0] ?? []).map(({ json }) => json);

  example('form-to-message', (workflow) => {
    activated(workflow);
    let browser: Browser;
    before(async () => void (browser = await launchBrowser()));
    after(async () => await browser.close());

    /** Fills in the form as a visitor does; returns the text of the last page. */
    const submit = async (phone: string): Promise<string> => {
      const window = await openWindow(browser, { httpCredentials: VISITOR });
      const page = await window.newPage();
      await page.goto(`${stage().n8n.url}/form/send-a-message`);
      await page.getByLabel('Name').fill('Ada Example');
      await page.getByLabel('Phone number').fill(phone);
      await page.getByLabel('Text').fill('your order is ready.');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText(/^Your message /).waitFor();
      const text = await page.locator('body').innerText();
      await window.close();
      return text;
    };

    test('the message goes out, and the visitor is told so', async () => {
      assert.match(await submit('+44 7700 900123'), /^Your message was sent\s+It is on its way to 447700900123\./m);
      assert.deepEqual(received(), [{ phone: '447700900123', message: 'Hello Ada Example, your order is ready.' }]);
    });

    test('with a bad number the visitor is told that nothing went out, and why', async () => {
      assert.match(await submit('07700 900123'), /^Your message was not sent\s+The phone number begins with 0, so its country code is missing\./m);
      assert.deepEqual(received(), []);
    });

    test('without a clear answer the visitor is told to ask first', async () => {
      stage().sandbox.setFaults([{ kind: 'reset-after' }]);
      assert.match(await submit('+44 7700 900123'), /^Your message may have been sent\s+.*Ask Ada Example whether it arrived/m);
      assert.equal(received().length, 1);
    });

    test('nobody gets in without the password', async () => {
      assert.equal((await fetch(`${stage().n8n.url}/form/send-a-message`)).status, 401);
    });
  });

  example('webhook-to-message', (workflow) => {
    activated(workflow);
    const GOOD = { phone: '+44 7700 900123', message: 'Hello' };
    const SENT = [{ phone: '447700900123', message: 'Hello' }];

    const call = async (body: JsonObject, headers: Record<string, string> = { [CALLER.name]: CALLER.value }) => {
      const answer = await fetch(`${stage().n8n.url}/webhook/send-a-message`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const answerTo = async (body: JsonObject) => {
      const { status, text } = await call(body);
      const json: unknown = JSON.parse(text);
      return { status, body: json };
    };

    test('a message that went out is answered with 200 and its id', async () => {
      assert.deepEqual(await answerTo(GOOD), { status: 200, body: { outcome: 'sent', message_id: 1001, status: 'sent' } });
      assert.deepEqual(received(), SENT);
    });

    test('a bad number, a missing text and what the service does not accept are answered with 422', async () => {
      assert.deepEqual(await answerTo({ ...GOOD, phone: '07700 900123' }), {
        status: 422,
        body: { outcome: 'not_sent', code: 'INVALID_PHONE', error: 'The phone number begins with 0, so its country code is missing' },
      });
      assert.deepEqual(await answerTo({ phone: GOOD.phone }), { status: 422, body: { outcome: 'not_sent', code: 'INVALID_MESSAGE', error: 'The message is empty' } });
      stage().sandbox.setFaults([{ kind: 'status', status: 422, code: 'VALIDATION_ERROR', details: [{ field: 'message', message: 'No links' }] }]);
      const { status, body } = await answerTo(GOOD);
      assert.equal(status, 422);
      assert.equal(asObject(body, 'body')['code'], 'VALIDATION_ERROR');
      assert.match(String(asObject(body, 'body')['error']), /does not accept/);
      assert.deepEqual(received(), []);
    });

    test('what is not the fault of the call is answered with 503, and without the reason', async () => {
      const later = { status: 503, body: { outcome: 'not_sent', error: 'The message was not sent. The same call can be made again later.' } };
      stage().sandbox.setCredits(0);
      assert.deepEqual(await answerTo(GOOD), later);
      stage().sandbox.setCredits(1);
      stage().sandbox.setFaults([{ kind: 'status', status: 401, code: 'INVALID_API_KEY' }]);
      assert.deepEqual(await answerTo(GOOD), later);
      assert.deepEqual(received(), []);
    });

    test('what may have gone out is answered with 504, and the advice not to repeat it', async () => {
      const uncertain = { status: 504, body: { outcome: 'uncertain', error: 'The message may have been sent. Do not simply repeat the call: check with the recipient first.' } };
      stage().sandbox.setFaults([{ kind: 'reset-after' }]);
      assert.deepEqual(await answerTo(GOOD), uncertain);
      stage().sandbox.setFaults([{ kind: 'status', status: 500, code: 'SERVER_ERROR' }]);
      assert.deepEqual(await answerTo(GOOD), uncertain);
      assert.deepEqual(received(), SENT);
    });

    test('a call without the secret sends nothing', async () => {
      assert.equal((await call(GOOD, {})).status, 403);
      assert.equal((await call(GOOD, { [CALLER.name]: 'another' })).status, 403);
      assert.deepEqual(received(), []);
    });
  });

  example('contacts-to-bulk', (workflow) => {
    let folder: string;
    before(async () => {
      folder = filesFolderOf(stage().folder);
      await copyFile(EXAMPLE_CONTACTS, path.join(folder, CONTACTS_FILE));
    });

    /** Runs it, and reads the file of failed rows that it has written. */
    const failedRows = async (): Promise<JsonObject[]> => {
      const earlier = await readdir(folder);
      assert.equal((await runFrom('Start', workflow())).status, 'success');
      const [file = '', ...more] = (await readdir(folder)).filter((name) => !earlier.includes(name));
      assert.match(file, /^not-sent-\d{4}-\d\d-\d\d-\d{6}\.csv$/);
      assert.deepEqual(more, []);
      return parse(await readFile(path.join(folder, file)), { columns: true, bom: true }) as JsonObject[];
    };

    test('every contact that can be reached gets a message, and the others are in the file, with the reason', async () => {
      const contacts = await readContacts(EXAMPLE_CONTACTS);
      const rows = await failedRows();
      assert.deepEqual(received().map(({ phone }) => phone).sort(), contacts.flatMap((contact) => expectedPhone(contact) ?? []).sort());
      assert.deepEqual(rows.map(({ name, phone, city, appointment }) => ({ name, phone, city, appointment })), contacts.filter((contact) => expectedPhone(contact) === undefined));
      for (const row of rows) {
        assert.deepEqual(Object.keys(row), ['name', 'phone', 'city', 'appointment', 'error', 'description', 'code', 'outcome']);
        assert.deepEqual([row['code'], row['outcome']], ['INVALID_PHONE', 'not_sent']);
        assert.match(String(row['error']), /^The phone number /);
        assert.match(String(row['description']), /\.$/);
      }
    });

    test('contacts whose message may have gone out are in the file as uncertain', async () => {
      stage().sandbox.setFaults([{ kind: 'reset-after', on: 'bulk' }]);
      const rows = await failedRows();
      assert.equal(rows.filter(({ outcome }) => outcome === 'uncertain').length, 100);
      assert.equal(received().length, new Set(received().map(({ phone }) => phone)).size);
    });
  });

  example('scheduled-balance-check', (workflow) => {
    const ALERT = [{ phone: '447700900100', message: 'Only 99 messaging credits are left. Please top up.' }];

    test('a low balance is told, a good one is not', async () => {
      stage().sandbox.setCredits(100);
      assert.equal((await runFrom('Every Morning', workflow())).status, 'success');
      assert.deepEqual(received(), []);
      stage().sandbox.setCredits(99);
      assert.equal((await runFrom('Every Morning', workflow())).status, 'success');
      assert.deepEqual(received(), ALERT);
    });

    test('an alert that could not be sent is tried again', async () => {
      stage().sandbox.setCredits(99);
      stage().sandbox.setFaults([{ kind: 'status', status: 400, code: 'BUSY', on: 'send' }]);
      assert.equal((await runFrom('Every Morning', workflow())).status, 'success');
      assert.deepEqual(received(), ALERT);
    });

    test('a balance that cannot be read is an error', async () => {
      stage().sandbox.setFaults([{ kind: 'status', status: 500, code: 'SERVER_ERROR', on: 'balance', times: 10 }]);
      const execution = await runFrom('Every Morning', workflow());
      assert.equal(execution.status, 'error');
      assert.notEqual(execution.error, '');
      assert.deepEqual(received(), []);
    });

    test('its schedule can be activated', async () => {
      await stage().rest.activate(workflow(), DEADLINE);
      await stage().rest.deactivate(workflow(), DEADLINE);
    });
  });

  example('low-balance-alert', (workflow) => {
    const alert = (credits: number) => [{ phone: '447700900100', message: `Only ${credits} messaging credits are left, fewer than 100. Please top up.` }];

    test('a test tells the present balance', async () => {
      assert.equal((await runFrom('Credits Are Low', workflow())).status, 'success');
      assert.deepEqual(received(), alert(1_000_000));
    });

    test('an active one tells a low balance', async () => {
      stage().sandbox.setCredits(99);
      await stage().rest.activate(workflow(), DEADLINE);
      await stage().waitFor('the alert', DEADLINE.seconds, async () => (received().length > 0 ? true : undefined));
      assert.deepEqual(received(), alert(99));
      await stage().rest.deactivate(workflow(), DEADLINE);
    });
  });

  example('appointment-reminder', (workflow) => {
    /** The texts that the two people with an appointment tomorrow have to get. */
    const expected = (execution: Execution) => {
      const [first] = itemsAt(execution, 'One Item Each');
      const tomorrow = new Date(asString(first?.['starts_at'], 'starts_at').slice(0, 10));
      const part = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options }).format(tomorrow);
      const date = `${part({ weekday: 'long' })} ${part({ day: 'numeric' })} ${part({ month: 'long' })}`;
      const text = (name: string, time: string) => `Hello ${name}, a reminder of your appointment with Dr Sample on ${date} at ${time}. Please call us if you can't come.`;
      return [{ phone: '447700900101', message: text('Ada Example', '09:30') }, { phone: '447700900102', message: text('Ben Made-Up', '14:00') }];
    };

    test('those with an appointment tomorrow get a text of their own, the others none', async () => {
      const execution = await runFrom('Every Day at 10', workflow());
      assert.equal(execution.status, 'success');
      assert.deepEqual(received(), expected(execution));
    });

    test('if somebody gets none, the others do, and the error names who', async () => {
      stage().sandbox.setFaults([{ kind: 'status', status: 422, code: 'VALIDATION_ERROR', on: 'bulk', details: [{ field: 'messages.0.phone', message: 'No such number' }] }]);
      const execution = await runFrom('Every Day at 10', workflow());
      assert.equal(execution.status, 'error');
      assert.match(execution.error, /^1 without a reminder: Ada Example \(The service does not accept the phone number of this message\)$/);
      assert.deepEqual(received(), expected(execution).slice(1));
    });

    test('its schedule can be activated', async () => {
      await stage().rest.activate(workflow(), DEADLINE);
      await stage().rest.deactivate(workflow(), DEADLINE);
    });
  });

  example('ai-agent', (workflow) => {
    const SEND_TOOL = 'Send_a_message';
    const inChat = async (name: string, talk: (page: Page) => Promise<void>) => {
      await inEditor(`agent ${name}`, async (page) => {
        await openWorkflow(page, stage().editorOf(workflow()));
        await talk(page);
      });
    };

    test('what the model calls for after a yes is sent, and the agent says so', async () => {
      model.script({ text: 'Shall I?' }, { calls: [{ tool: SEND_TOOL, input: { Phone: '+44 7700 900123', Message: 'Ready.' } }] }, { text: 'I have sent it.' });
      await inChat('sends', async (page) => {
        await sayInChat(page, 'Tell +44 7700 900123 that the order is ready', 'Shall I?');
        assert.deepEqual(received(), []);
        await sayInChat(page, 'Yes', 'I have sent it.');
      });
      assert.deepEqual(model.offered().map(({ name }) => name).sort(), ['Get_the_balance', SEND_TOOL]);
      // It remembers what was said before.
      assert.match(model.heard(), /the order is ready[^]*Shall I\?[^]*Yes/);
      assert.match(model.heard(), /wait for a yes/);
      assert.deepEqual(received(), [{ phone: '447700900123', message: 'Ready.' }]);
    });

    test('the model is told of an error, and of the balance', async () => {
      model.script({ calls: [{ tool: SEND_TOOL, input: { Phone: '07700 900123', Message: 'Ready.' } }, { tool: 'Get_the_balance', input: {} }] }, { text: 'It failed.' });
      await inChat('fails', async (page) => await sayInChat(page, 'Tell 07700 900123 that the order is ready', 'It failed.'));
      assert.match(model.results()[0] ?? '', /country code is missing[^]*not_sent/);
      assert.match(model.results()[1] ?? '', /"credits":1000000/);
      assert.deepEqual(received(), []);
    });
  });

  example('mcp-server', (workflow) => {
    activated(workflow);
    const connect = async (headers: Record<string, string>) => {
      const client = new Client({ name: 'end-to-end tests', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${stage().n8n.url}/mcp/messaging-send`), { requestInit: { headers } }));
      return client;
    };

    test('a client with the token gets the balance and sends', async () => {
      const client = await connect({ authorization: `Bearer ${MCP_TOKEN}` });
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name).sort(), ['Get_the_balance', 'Send_a_message', 'Send_many_messages']);
      const call = async (name: string, input: JsonObject) => {
        const answer = asObject(await client.callTool({ name, arguments: input }), 'answer');
        return { isError: answer['isError'] === true, text: JSON.stringify(asArray(answer['content'], 'content')) };
      };
      assert.match((await call('Get_the_balance', {})).text, /1000000/);
      await call('Send_a_message', { Phone: '+44 7700 900123', Message: 'Hello' });
      await call('Send_many_messages', { Messages: [{ phone: '447700900124', message: 'one' }, { phone: '447700900125', message: 'two' }] });
      const failed = await call('Send_a_message', { Phone: '07700 900123', Message: 'Hello' });
      assert.equal(failed.isError, true);
      assert.match(failed.text, /country code is missing/);
      assert.deepEqual(received(), [
        { phone: '447700900123', message: 'Hello' },
        { phone: '447700900124', message: 'one' },
        { phone: '447700900125', message: 'two' },
      ]);
      await client.close();
    });

    test('a client without the token gets nowhere', async () => {
      await assert.rejects(connect({}), /Authorization/);
      await assert.rejects(connect({ authorization: 'Bearer another' }), /Authorization/);
    });
  });

  example('campaign-larger-than-credits', (workflow) => {
    const PEOPLE = ['Ada Example', 'Ben Made-Up', 'Cleo Sample', 'Dan Fiction', 'Eve Invented', 'Finn Pretend', 'Gail Imagined', 'Hugo Dreamt'];
    const CAMPAIGN = PEOPLE.map((name, index) => ({ phone: `44770090020${index + 1}`, message: `Hello ${name}, our summer sale begins on Saturday at 9.` }));
    const ended = async (): Promise<Execution> => {
      const [latest] = await stage().rest.executionsOf(workflow());
      return await stage().rest.waitForExecution(latest?.id ?? '', DEADLINE);
    };

    test('with enough credits it goes out at once', async () => {
      stage().sandbox.setCredits(8);
      const execution = await runFrom('Start', workflow());
      assert.equal(execution.status, 'success');
      assert.deepEqual(received(), CAMPAIGN);
      assert.equal(itemsAt(execution, 'Sent').length, 8);
    });

    test('with too few, nothing goes out until they are topped up; then all of it, once', async () => {
      const { sandbox } = stage();
      sandbox.setCredits(5);
      await inEditor('campaign', async (page) => {
        await openWorkflow(page, stage().editorOf(workflow()));
        const [form] = await Promise.all([page.waitForEvent('popup'), runByButton(page)]);
        await form.getByText('Not enough credits for the run: 8 needed, 5 available').waitFor();
        assert.deepEqual(received(), []);

        sandbox.setCredits(7);
        await form.getByRole('button', { name: 'Submit' }).click();
        await form.getByText('The credits are checked again.').waitFor();
        // The balance has been read twice by then.
        await stage().waitFor('the workflow to wait again', DEADLINE.seconds, async () => {
          const [latest] = await stage().rest.executionsOf(workflow());
          return latest?.status === 'waiting' && sandbox.requests().length === 2 ? true : undefined;
        });
        await form.reload();
        await form.getByText('Not enough credits for the run: 8 needed, 7 available').waitFor();
        assert.deepEqual(received(), []);

        sandbox.setCredits(8);
        await form.getByRole('button', { name: 'Submit' }).click();
        const execution = await ended();
        assert.equal(execution.status, 'success');
        assert.equal(itemsAt(execution, 'Sent').length, 8);
      });
      assert.deepEqual(received(), CAMPAIGN);
    });

    test('what fails for another reason waits for nothing', async () => {
      stage().sandbox.setFaults([{ kind: 'status', status: 422, code: 'VALIDATION_ERROR', on: 'bulk', details: [{ field: 'messages.1.phone', message: 'No such number' }] }]);
      const execution = await runFrom('Start', workflow());
      assert.equal(execution.status, 'success');
      const [failed, ...more] = itemsAt(execution, 'Failed for Another Reason');
      assert.deepEqual([failed?.['name'], asObject(failed?.['details'], 'details')['outcome']], ['Ben Made-Up', 'not_sent']);
      assert.deepEqual(more, []);
      assert.deepEqual(received(), CAMPAIGN.toSpliced(1, 1));
    });
  });

  test('every example has its tests', async () => {
    assert.deepEqual(tested.sort(), await exampleNames());
  });
});

for (const release of SUPPORTED) {
  describe(`n8n ${release} knows every node of the examples`, () => {
    const stage = stageForTests({ release });

    test('', async () => {
      const { rest } = stage();
      const types = asArray(JSON.parse(await rest.readFile('/types/nodes.json')), 'types') as unknown as INodeTypeDescription[];
      for (const name of await exampleNames()) {
        const stored = await rest.importWorkflow(await readExampleFile(name));
        for (const node of nodesOf(stored) as unknown as INode[]) {
          const versions = (type: INodeTypeDescription) => [type.version].flat();
          const type = types.find((candidate) => candidate.name === node.type && versions(candidate).includes(node.typeVersion));
          assert.ok(type, `${name}: ${node.name} is a ${node.type} of version ${node.typeVersion}`);
          const shown = NodeHelpers.getNodeParameters(type.properties, node.parameters, true, false, node, type);
          const strangers = Object.keys(node.parameters).filter((parameter) => !Object.hasOwn(shown ?? {}, parameter));
          assert.deepEqual(strangers, [], `${name}: ${node.name} has no other parameters than ${node.type}`);
        }
      }
    });
  });
}
