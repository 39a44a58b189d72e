import { asString, type JsonObject } from '../../json';
import { nodesOf } from './files';

/** The name of the example that sends to a list of contacts. */
export const CONTACTS_EXAMPLE = 'contacts-to-bulk';

export function contactsExampleNodes(workflow: JsonObject) {
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
