/** How the library is set up: what MCP asks for, and nothing else. */
import {
  type ClientMetadata,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';

import { assertionProfile } from './assertionGrant.ts';
import { notConnected } from './noticePage.ts';
import type { AuthorizationServerOptions } from './options.ts';
import { deviceGrant, ownClient, ownClientId } from './ownClient.ts';

export const paths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  registration: '/oauth/register',
  jwks: '/oauth/jwks',
  device: '/oauth/device',
} as const;

/** The page where a person types the code of a device. */
export const devicePage = '/device';

/** The cookie of the library's own session. */
export const sessionName = 'baton_oauth';

/** The cookie of the browser that began an authorization; its path is that of the decision. */
export const consentCookie = 'baton_consent';

/** The path where a person decides; below `/v1` it is an operation of the API, otherwise the page. */
const consentPath = (uid: string): string => `/connect/${uid}`;
const decisionPath = (uid: string): string => `/v1/consents/${uid}`;

const { Check, Prompt } = interactionPolicy;

/** Every authorization asks a person; what was agreed to before is known there. */
const policy = [
  new Prompt(
    { name: 'login', requestable: true },
    new Check(
      'undecided',
      'A person decides.',
      'interaction_required',
      ({ oidc }) => oidc.result?.consent === undefined,
    ),
  ),
  new Prompt({ name: 'consent', requestable: true }),
];

const { device, ...routes } = paths;

const neverGone = 10 * 365 * 24 * 3_600;

export function configurationOf(options: AuthorizationServerOptions): Configuration {
  const { issuer, cookieKeys, fetch, isGood, limits } = options;
  const basePath = new URL(issuer).pathname.replace(/\/$/, '');
  return {
    routes: { ...routes, device_authorization: device, code_verification: devicePage },
    clients: [ownClient],
    responseTypes: ['code'],
    // Without identity tokens there are no claims, and nothing depends on a session of the library.
    claims: {},
    scopes: [...options.scopes, 'offline_access'],
    pkce: { required: () => true },
    clientAuthMethods: ['none', 'private_key_jwt'],
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    extraClientMetadata: { properties: ['grant_types', 'redirect_uris'], validator: checkMetadata },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    cookies: {
      keys: cookieKeys,
      names: { session: sessionName, interaction: 'baton_oauth_step', resume: 'baton_oauth_resume' },
      long: { httpOnly: true, sameSite: 'lax', path: `${basePath}/oauth` },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    features: featuresOf(options),
    ...(options.takeAssertion && { discovery: { authorization_grant_profiles_supported: [assertionProfile] } }),
    fetch,
    ttl: {
      AccessToken: limits.accessSeconds,
      RefreshToken: limits.refreshSeconds,
      AuthorizationCode: limits.codeSeconds,
      DeviceCode: limits.deviceSeconds,
      Interaction: limits.decisionSeconds,
      Session: limits.decisionSeconds,
      // It ends when a person ends it, or unused.
      Grant: neverGone,
    },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    findAccount: async (_context, accountId, token) => {
      const grantId = token === undefined || !('grantId' in token) ? undefined : token.grantId;
      if (grantId !== undefined && !(await isGood(accountId, grantId))) return undefined;
      return { accountId, claims: async () => ({ sub: accountId }) };
    },
    interactions: {
      policy: policy as unknown as NonNullable<NonNullable<Configuration['interactions']>['policy']>,
      url: (context, { uid }) => {
        if (Array.isArray(context.oidc.params?.['resource'])) throw new errors.InvalidTarget('name one resource');
        const path = `${basePath}${decisionPath(uid)}`;
        const maxAge = limits.decisionSeconds * 1_000;
        context.cookies.set(consentCookie, uid, { path, httpOnly: true, sameSite: 'strict', maxAge, signed: false });
        return `${basePath}${consentPath(uid)}`;
      },
    },
    renderError: (context, { error, error_description: description }) => {
      const { body, headers } = notConnected(error, description);
      context.set(headers);
      context.type = 'html';
      context.body = body;
    },
  };
}

function featuresOf(options: AuthorizationServerOptions): NonNullable<Configuration['features']> {
  const { mayRegister } = options;
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****' },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      // A token is for one address, so its client names it (RFC 8707).
      defaultResource: () => {
        throw new errors.InvalidTarget('name one resource');
      },
      getResourceServerInfo: async (_context, resource) => resourceServer(options, resource),
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      cacheDuration: { min: 30, max: 3_600 },
      allowFetch: fetchRule(options),
    },
    registration: {
      enabled: mayRegister,
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
    },
  };
}

function fetchRule({ refusalToFetch }: AuthorizationServerOptions) {
  // A request whose client was refused, or did not answer, asks for it again to tell it so.
  const askedBy = new WeakMap<object, Promise<string | undefined>>();
  return async (context: KoaContextWithOIDC, clientId: string): Promise<true> => {
    const asked = askedBy.get(context) ?? refusalToFetch(clientId, context.ip);
    askedBy.set(context, asked);
    const refusal = await asked;
    if (refusal !== undefined) throw new errors.InvalidClient(refusal);
    return true;
  };
}

/** Of documents and of registrations. Throws the errors of the library. */
function checkMetadata(_context: unknown, key: string, value: unknown, { client_id: id }: ClientMetadata): void {
  const values = [value].flat();
  if (key === 'grant_types' && id !== ownClientId && values.includes(deviceGrant))
    throw new errors.InvalidClientMetadata(`only Baton's own command may have the grant type ${deviceGrant}`);
  if (key === 'redirect_uris') for (const address of values) checkRedirect(String(address));
}

const loopbacks = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Besides what the library refuses: a code goes in clear to no other machine (MCP 2025-06-18, Authorization,
 * "Communication Security"), and what stands before an `@` is no host, though it looks like one to a person.
 */
function checkRedirect(address: string): void {
  const { protocol, hostname, username, password } = URL.parse(address) ?? {};
  if (protocol === 'http:' && !loopbacks.has(hostname ?? ''))
    throw new errors.InvalidClientMetadata('a redirect address with http: leads to this machine; others have https:');
  if (username !== '' || password !== '')
    throw new errors.InvalidClientMetadata('a redirect address has no user name and no password');
}

function resourceServer({ scopesOf }: AuthorizationServerOptions, resource: string) {
  const scopes = scopesOf(resource);
  if (scopes === undefined) throw new errors.InvalidTarget();
  return { scope: scopes.join(' '), audience: resource, accessTokenFormat: 'opaque' as const };
}
