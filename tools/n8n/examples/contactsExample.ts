import { asString, type JsonObject } from '../../json';
import { type N8nInstance } from '../instance';
import { type StoredCredential } from '../rest';
import { provideContacts } from './contacts';
import { nodesOf, readExample } from './files';

/** The name of the example that sends to a list of contacts. */
export const CONTACTS_EXAMPLE = 'contacts-to-bulk';

/** The names of its nodes that others refer to. */
export interface ContactsExampleNodes {
  /** Starts it. */
  trigger: string;
  /** Puts the contacts out, an item for each. */
  contacts: string;
  sender: string;
}

/** The example as n8n keeps it. */
export interface ContactsExample extends ContactsExampleNodes {
  name: string;
  workflow: JsonObject;
  /** Where the editor shows it. */
  editorUrl: string;
}

/** Finds the example's nodes by their types. */
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

/** Stores the example in n8n, ready to run. */
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
