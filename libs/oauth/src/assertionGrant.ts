/**
 * A client that has an assertion of its person's identity provider gets an access token for it, and asks no person
 * (draft-ietf-oauth-identity-assertion-authz-grant, section 4.4; MCP: io.modelcontextprotocol/enterprise-managed-authorization).
 */
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';

export const assertionGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** How clients find out that it is here (section 7.2 there). */
export const assertionProfile = 'urn:ietf:params:oauth:grant-profile:id-jag';

export interface AskedAssertion {
  readonly assertion: string;
  /** The client that asks. */
  readonly client: { readonly id: string; readonly name: string | undefined };
  /** What it names besides. */
  readonly resource: string | undefined;
  readonly scopes: readonly string[] | undefined;
}

/** What an assertion gives, and whose it is, as the caller reads it. */
export interface AssertedGrant {
  readonly accountId: string;
  readonly grantId: string;
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** An assertion is not taken. The message is a sentence for the client. */
export class AssertionRefusal extends Error {
  override readonly name = 'AssertionRefusal';
  readonly code: 'invalid_grant' | 'invalid_target' | 'invalid_scope';

  constructor(code: AssertionRefusal['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** `take` rejects with `AssertionRefusal`, and with `UnavailableError`. */
export function grantByAssertion(
  provider: Provider,
  take: (asked: AskedAssertion) => Promise<AssertedGrant>,
  accessSeconds: number,
): void {
  provider.registerGrantType(
    assertionGrant,
    async (context: KoaContextWithOIDC) => {
      const { client, params = {} } = context.oidc;
      if (client === undefined) throw new errors.InvalidClient('unknown client');
      const { assertion, resource, scope } = params;
      if (typeof assertion !== 'string') throw new errors.InvalidRequest('missing required parameter assertion');
      const granted = await take({
        assertion,
        client: { id: client.clientId, name: client.clientName },
        resource: typeof resource === 'string' ? resource : undefined,
        scopes: typeof scope === 'string' ? scope.split(' ').filter((one) => one !== '') : undefined,
      }).catch(refused);
      const words = granted.scopes.join(' ');
      const { accountId, grantId } = granted;
      const token = new provider.AccessToken({ accountId, grantId, client, scope: words, gty: 'jwt_bearer' });
      token.resourceServer = new provider.ResourceServer(granted.resource, {
        scope: words,
        audience: granted.resource,
        accessTokenFormat: 'opaque',
      });
      context.oidc.entity('AccessToken', token);
      context.body = {
        access_token: await token.save(),
        token_type: 'Bearer',
        expires_in: accessSeconds,
        scope: words,
      };
    },
    ['assertion', 'resource', 'scope'],
  );
}

function refused(error: unknown): never {
  if (!(error instanceof AssertionRefusal)) throw error;
  throw new errors.CustomOIDCProviderError(error.code, error.message);
}
