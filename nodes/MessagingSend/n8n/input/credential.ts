import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { type Account, accountIn } from '../../api/account';
import { type Failure, failure, isFailure } from '../../failures/failure';
import { CREDENTIAL_EXPRESSION_FAILED } from '../assumptions';
import { pause } from '../execution';
import { reasonOf } from '../output/sentences';

export const CREDENTIAL = 'messagingSendApi';

/** An account with the credential that it comes from, as n8n has decrypted it. */
export interface NodeAccount extends Account {
  readonly credential: ICredentialDataDecryptedObject;
}

/** The accounts of the items of a run: a credential whose fields are expressions can give each item another. */
export interface Accounts {
  /** The account of an item, or why it has none. The same account is always the same object. */
  readonly of: (item: number) => NodeAccount | Failure;
  /** Why no item can have an account; null if that depends on the item. */
  readonly failure: Failure | null;
}

type GetCredentials = Pick<IExecuteFunctions, 'getCredentials'>;

/**
 * Reads the accounts of the items of a run, or of the one item that the context is about. n8n takes 0.5 to 1.5 ms for a
 * credential, so one without expressions is read for the first item alone.
 */
export async function readAccounts(context: GetCredentials, items = 1, signal?: AbortSignal): Promise<Accounts> {
  const known = new Map<string, NodeAccount>();
  const first = await read(context, 0, known);
  const { account } = first;
  if (first.isForAll || items === 1) return { of: () => account, failure: isFailure(account) ? account : null };

  const accounts = [account];
  while (accounts.length < items && signal?.aborted !== true) {
    accounts.push((await read(context, accounts.length, known)).account);
    await pause();
  }
  const stopped = failure('stopped');
  return { of: (item) => accounts[item] ?? stopped, failure: null };
}

/** The account that the credential gives for an item, and whether every item gets the same. */
async function read(context: GetCredentials, item: number, known: Map<string, NodeAccount>) {
  try {
    const credential = await context.getCredentials(CREDENTIAL, item);
    const isForAll = credential.isFixed === true;
    const given = accountIn(credential);
    if (isFailure(given)) return { account: given, isForAll };
    // The key alone says whose messages they are, and the address where their requests go. A key has no line break.
    const name = `${given.apiKey}\n${given.baseUrl}`;
    const account = known.get(name) ?? { ...given, credential };
    known.set(name, account);
    return { account, isForAll };
  } catch (error) {
    const reason = reasonOf(error);
    const isForAll = !reason.includes(CREDENTIAL_EXPRESSION_FAILED);
    return { account: failure('credentialUnreadable', { reason }), isForAll };
  }
}
