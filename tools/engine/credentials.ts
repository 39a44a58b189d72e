/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import './environment';

import { setImmediate } from 'node:timers/promises';

import { getAdditionalKeys } from 'n8n-core';
import {
  type ICredentialDataDecryptedObject,
  type ICredentialsHelper,
  type ICredentialType,
  type IHttpRequestOptions,
  type INodeParameters,
  NodeHelpers,
} from 'n8n-workflow';

import type { Lifetime } from './lifetime';

export interface Account {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Stored credentials, which n8n-core leaves to n8n's server. Here, all nodes have the same one. */
export class Credentials implements Partial<ICredentialsHelper> {
  constructor(
    private readonly data: ICredentialDataDecryptedObject,
    private readonly type: ICredentialType,
    private readonly onRead: () => void = () => undefined,
    private readonly lifetime?: Lifetime,
  ) {}

  getParentTypes(): string[] {
    return [];
  }

  isCredentialUsableByNode(): boolean {
    return true;
  }

  async preAuthentication(): Promise<undefined> {
    await Promise.resolve(undefined);
  }

  /** Authenticates as n8n's server does, which is the last step before a request. */
  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    _typeName: string,
    requestOptions: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> {
    const { authenticate } = this.type;
    if (typeof authenticate !== 'function') throw new Error('not code');
    const authenticated = await authenticate(credentials, requestOptions);
    // The sandbox has no https here: the node only checks whether its port does.
    if (requestOptions.baseURL?.startsWith('https') !== true) await this.lifetime?.leave();
    return authenticated;
  }

  /** Fills in defaults and resolves expressions for an item, as n8n's server does. */
  async getDecrypted(...args: Parameters<ICredentialsHelper['getDecrypted']>): Promise<ICredentialDataDecryptedObject> {
    const [additionalData, , , mode, executeData, , values] = args;
    this.onRead();
    // n8n's server asks its database.
    await setImmediate();
    const data = NodeHelpers.getNodeParameters(
      this.type.properties,
      { ...this.data } as INodeParameters,
      true,
      false,
      null,
      null,
    );
    if (values === undefined || data === null) return data as ICredentialDataDecryptedObject;
    const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
    try {
      return workflow.expression.getParameterValue(
        data,
        runExecutionData,
        runIndex,
        itemIndex,
        node.name,
        connectionInputData,
        mode,
        getAdditionalKeys(additionalData, mode, null),
        executeData,
        false,
        data,
      ) as ICredentialDataDecryptedObject;
    } catch (error) {
      if (error instanceof Error) error.message += ' [Error resolving credentials]';
      throw error;
    }
  }
}
