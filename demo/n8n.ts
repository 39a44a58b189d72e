import { describeAddresses, startForPerson } from '../sandbox/n8n/instance';
import { type Session } from '../tools/cli/session';
import { addContactsExample } from '../tools/n8n/examples/contactsExample';
import { providePackage } from '../tools/n8n/package';
import { type Demo } from './run';

/** Starts real n8n and the sandbox, with the contacts example in its editor. */
export async function start(session: Session): Promise<Demo> {
  const { say, signal } = session;
  say('Starting n8n');
  const instance = await startForPerson(
    { purpose: 'demo', providePackage: (userFolder) => providePackage(userFolder, signal) },
    session,
  );
  const example = await addContactsExample(instance);
  return {
    sandbox: instance.sandbox,
    example,
    run: () => instance.rest.run(example.workflow, example.trigger, 300),
    runs: [`Running "${example.name}"`],
    addresses: describeAddresses(instance, example.editorUrl),
    stayUp: () => instance.stayUp(),
  };
}
