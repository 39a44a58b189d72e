/** Runs of the node with n8n's engine, for the tests of a file. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { SandboxOptions } from '../../../sandbox/server';
import { processedData } from '../../../tools/engine/processedData';
import { contacts } from '../contacts';
import { detailsOf } from '../outputs';
import { accountOf, receivedContacts, receivedTexts, sandboxForTests } from '../sandbox';
import { Campaign } from './campaign';
import { linkIn, open, type Sent } from './webhook';
import { type Execution, retryExecution, runWorkflow, type Setup } from './workflow';

/** A setup without the parts that all runs of a file have in common. */
export type Given = Omit<Setup, 'account' | 'items' | 'parameters'> & Partial<Setup>;

/** What a Retry changes in the workflow; null for nothing, with the original workflow. */
export type Changes = Partial<Setup> | null;

/**
 * The node with a sandbox and n8n's storage, both empty at the start of each test, which has a workflow of its own.
 * @param common what all runs have in common
 */
export function nodeForTests(common: Partial<Setup> = {}, options: Partial<SandboxOptions> = {}) {
  let onRequest: () => void = () => undefined;
  const sandbox = sandboxForTests({ onRequest: () => onRequest(), ...options });
  let tests = 0;
  beforeEach(() => {
    processedData.reset();
    onRequest = () => undefined;
    tests += 1;
  });
  const setupOf = (given: Given): Setup => ({
    account: accountOf(sandbox()),
    items: [{}],
    parameters: {},
    workflowId: `workflow ${tests}`,
    ...common,
    ...given,
  });
  return {
    sandbox,
    /** In this test, each request calls this as it arrives. */
    atRequest: (call: () => void) => void (onRequest = call),
    setupOf,
    run: async (given: Given): Promise<Execution> => await runWorkflow(setupOf(given)),
    retry: async (ran: Execution, setup: Setup, changes: Changes = null): Promise<Execution> =>
      await retryExecution(ran, setup, changes === null ? undefined : { ...setup, ...changes }),
    /** Sees that nothing is requested, whatever On Error says, and that each item has this code. @returns the error */
    refused: async (parameters: INodeParameters, code = 'NOT_SET_UP'): Promise<string | undefined> => {
      const given = { items: contacts(2), parameters };
      const { outputs } = await runWorkflow(setupOf({ ...given, onError: 'continueErrorOutput' }));
      expect(outputs[1]?.map((item) => detailsOf(item).code)).toEqual([code, code]);
      const { error } = await runWorkflow(setupOf(given));
      expect(sandbox().requests()).toEqual([]);
      return error?.message;
    },
    /** A campaign in production, during which n8n can be killed. */
    campaign: (given: Given): Campaign => new Campaign(sandbox(), setupOf({ mode: 'trigger', ...given })),
    /** Asks a person. @returns what opens the link of the question, or another one, or sends the form of its page */
    ask: async (setup: Setup) => {
      const waiting = await runWorkflow(setup);
      const link = linkIn(receivedTexts(sandbox()).at(-1) ?? '');
      return async (form?: IDataObject, sent: Sent = {}, address = link) =>
        await open(waiting, setup, address, form, sent);
    },
    requests: (endpoint?: string) =>
      sandbox()
        .requests()
        .filter((request) => endpoint === undefined || request.endpoint === endpoint),
    received: () => receivedContacts(sandbox()).map(({ phone }) => phone),
    texts: () => receivedTexts(sandbox()),
    /** The messages that have arrived, by their phone numbers, as the items that they came from. */
    contactsReceived: () => receivedContacts(sandbox()).sort((one, other) => one.phone.localeCompare(other.phone)),
  };
}
