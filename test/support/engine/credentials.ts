import './environment';

import { setImmediate } from 'node:timers/promises';

import { getAdditionalKeys } from 'n8n-core';
import {
  type ICredentialDataDecryptedObject,
  type ICredentials,
  ICredentialsHelper,
  type ICredentialType,
  type IHttpRequestOptions,
  type INodeParameters,
  type INodeProperties,
  NodeHelpers,
} from 'n8n-workflow';

import type { Lifetime } from './lifetime';

/** Stored credentials, which n8n-core leaves to n8n's server. Here all nodes have the same one. */
export class Credentials extends ICredentialsHelper {
  constructor(
    private readonly data: ICredentialDataDecryptedObject,
    private readonly type: ICredentialType,
    private readonly onRead: () => void = () => undefined,
    private readonly lifetime?: Lifetime,
  ) {
    super();
  }

  getParentTypes(): string[] {
    return [];
  }

  isCredentialUsableByNode(): boolean {
    return true;
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
    await this.lifetime?.leave();
    return authenticated;
  }

  async preAuthentication(): Promise<undefined> {
    await Promise.resolve(undefined);
  }

  async runPreAuthentication(): Promise<undefined> {
    await Promise.resolve(undefined);
  }

  async getCredentials(): Promise<ICredentials> {
    return await Promise.reject(new Error('not needed'));
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

  getCredentialsProperties(): INodeProperties[] {
    return this.type.properties;
  }

  async updateCredentials(): Promise<void> {
    await Promise.reject(new Error('not needed'));
  }

  async updateCredentialsOauthTokenData(): Promise<void> {
    await Promise.reject(new Error('not needed'));
  }
}
