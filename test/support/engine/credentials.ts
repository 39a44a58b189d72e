import './environment';

import {
  type ICredentialDataDecryptedObject,
  type ICredentials,
  ICredentialsHelper,
  type ICredentialType,
  type IHttpRequestOptions,
  type INode,
  type INodeProperties,
  type Workflow,
} from 'n8n-workflow';

/** Stored credentials, which n8n-core leaves to n8n's server. Here all nodes have the same one. */
export class Credentials extends ICredentialsHelper {
  constructor(
    private readonly data: ICredentialDataDecryptedObject,
    private readonly type: ICredentialType,
  ) {
    super();
  }

  getParentTypes(): string[] {
    return [];
  }

  isCredentialUsableByNode(): boolean {
    return true;
  }

  /** Resolves the `authenticate` of a generic credential as n8n's server does. */
  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    _typeName: string,
    requestOptions: IHttpRequestOptions,
    workflow?: Workflow,
    node?: INode,
  ): Promise<IHttpRequestOptions> {
    const { authenticate } = this.type;
    if (typeof authenticate !== 'object' || workflow === undefined || node === undefined)
      throw new Error('not generic');
    for (const [name, value] of Object.entries(authenticate.properties.headers ?? {})) {
      requestOptions.headers ??= {};
      requestOptions.headers[name] = workflow.expression.getSimpleParameterValue(node, value as string, 'internal', {
        $credentials: credentials,
      }) as string;
    }
    return await Promise.resolve(requestOptions);
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

  async getDecrypted(): Promise<ICredentialDataDecryptedObject> {
    return await Promise.resolve({ ...this.data });
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
