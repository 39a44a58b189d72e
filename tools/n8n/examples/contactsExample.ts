import { asString, type JsonObject } from '../../json';
import { type N8nInstance } from '../instance';
import { type StoredCredential } from '../rest';
import { provideContacts } from './contacts';
import { nodesOf, readExample } from './files';

/** The name of the example that sends to a list of contacts. */
export const CONTACTS_EXAMPLE = 'contacts-to-bulk';

export interface ContactsExampleNodes {
  trigger: string;
  contacts: string;
  sender: string;
}

export interface ContactsExample extends ContactsExampleNodes {
  name: string;
  workflow: JsonObject;
  editorUrl: string;
}

export function contactsExampleNodes(workflow: JsonObject): ContactsExampleNodes {
  const nameOf = (type: string) => {
    const node = nodesOf(workflow).find((candidate) => candidate.type === type);
    return asString(node?.name, `the name of the node of type ${type}`);
  };
  return {
    trigger: nameOf('n8n-nodes-base.manualTrigger'),
    contacts: nameOf('n8n-nodes-base.extractFromFile'),
    sender: nameOf('n8n-nodes-messaging-send.messagingSend'),
  };
}

export async function addContactsExample(
  instance: N8nInstance & { readonly credential: StoredCredential },
): Promise<ContactsExample> {
  await provideContacts(instance.folder);
  const workflow = await instance.rest.importWorkflow(await readExample(CONTACTS_EXAMPLE), [instance.credential]);
  return {
    ...contactsExampleNodes(workflow),
    name: asString(workflow.name, 'workflow.name'),
    workflow,
    editorUrl: instance.editorUrl(workflow),
  };
}
