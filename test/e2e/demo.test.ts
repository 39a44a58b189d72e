import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { checkStack, runExample } from '../../demo/checkStack';
import { Closing } from '../../demo/closing';
import { EXAMPLE_CONTACTS, readContacts } from '../../demo/contacts';
import { CURRENT } from '../../demo/releases';
import { startStack } from '../../demo/stack';
import { stopped } from './stage';
import { tarball } from './tarball';

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
