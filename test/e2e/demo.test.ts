import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { checkStack, runExample } from '../../demo/checkStack.js';
import { Closing } from '../../demo/closing.js';
import { EXAMPLE_CONTACTS, readContacts } from '../../demo/contacts.js';
import { CURRENT } from '../../demo/releases.js';
import { startStack } from '../../demo/stack.js';
import { stopped } from './stage.js';
import { tarball } from './tarball.js';

const closing = new Closing();
after(async () => await closing.close());

// One test with the demo's checks as its subtests: their number is known only once all has run.
test('the demo', async (context) => {
  const { signal } = stopped;
  const contacts = await readContacts(EXAMPLE_CONTACTS);
  const stack = await startStack({
    release: CURRENT,
    tarball: tarball(),
    ports: { n8n: 'free', sandbox: 'free' },
    contactsFile: EXAMPLE_CONTACTS,
    credits: 1000,
    keepData: false,
    say: (line) => console.log(line),
    signal,
    closing,
  });
  const outcome = await runExample(stack, signal);
  const checks = await checkStack(stack, outcome, contacts);
  for (const { name, difference } of checks) {
    await context.test(name, () => assert.equal(difference, ''));
  }
});
