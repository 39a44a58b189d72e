import type { ICredentialDataDecryptedObject, IExecuteFunctions } from 'n8n-workflow';

import { type Account, accountIn } from '../../api/account';
import { type Failure, failure, isFailure } from '../../failures/failure';
import { CREDENTIAL_EXPRESSION_FAILED } from '../assumptions';
import { reasonOf } from '../output/sentences';
import { pause } from '../pause';

export const CREDENTIAL = 'messagingSendApi';

/** An account with the credential that it comes from, as n8n has decrypted it. */
export interface NodeAccount extends Account {
  readonly credential: ICredentialDataDecryptedObject;
}

/** The accounts of the items of a run: a credential whose fields are expressions can give each item another. */
export interface Accounts {
  /** The account of an item, or why it has none. */
  readonly of: (item: number) => NodeAccount | Failure;
  /** Why no item can have an account; null if that depends on the item. */
  readonly failure: Failure | null;
}

type GetCredentials = Pick<IExecuteFunctions, 'getCredentials'>;

/** Reads the credential for the item that the context is about, as the accounts of a run of that item alone. */
export async function readAccountOfItem(context: GetCredentials): Promise<Accounts> {
  return oneForAll((await read(context)).account);
}

/**
 * Reads the accounts of all items of a run. n8n takes 0.5 to 1.5 ms for a credential, so one without expressions is read
 * for the first item alone.
 */
export async function readAccounts(
  context: GetCredentials & Pick<IExecuteFunctions, 'getInputData' | 'getExecutionCancelSignal'>,
): Promise<Accounts> {
  const { length } = context.getInputData();
  const first = await read(context, 0);
  if (first.isForAll) return oneForAll(first.account);

  const accounts = [first.account];
  while (accounts.length < length && context.getExecutionCancelSignal()?.aborted !== true) {
    accounts.push((await read(context, accounts.length)).account);
    await pause();
  }
  const stopped = failure('stopped');
  return { of: (item) => accounts[item] ?? stopped, failure: null };
}

function oneForAll(account: NodeAccount | Failure): Accounts {
  return { of: () => account, failure: isFailure(account) ? account : null };
}

/** The account that the credential gives for an item, and whether every item gets the same. */
async function read(
  context: GetCredentials,
  item?: number,
): Promise<{ account: NodeAccount | Failure; isForAll: boolean }> {
  try {
    const credential = await context.getCredentials(CREDENTIAL, item);
    const account = accountIn(credential);
    return {
      account: isFailure(account) ? account : { ...account, credential },
      isForAll: credential.isFixed === true,
    };
  } catch (error) {
    const reason = reasonOf(error);
    return {
      account: failure('credentialUnreadable', { reason }),
      isForAll: !reason.includes(CREDENTIAL_EXPRESSION_FAILED),
    };
  }
}
