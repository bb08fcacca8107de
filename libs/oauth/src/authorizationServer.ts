/**
 * One authorization server: OAuth 2.1 as MCP asks for it (2025-11-25 and 2026-07-28, basic/authorization). The library
 * does the protocol; who agreed to what is decided by its caller, and kept in the agreement (a *grant*).
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { type Configuration, Provider, type KoaContextWithOIDC } from 'oidc-provider';

import { RecordAdapter } from './adapter.ts';
import { grantByAssertion } from './assertionGrant.ts';
import { configurationOf, devicePage, paths, sessionName } from './configuration.ts';
import { type AskingDevice, askingDevice, DeviceRequests, isUserCode } from './deviceRequests.ts';
import { notConnected } from './noticePage.ts';
import type { AuthorizationServerOptions } from './options.ts';

/** What a client asks a person for. */
export interface ConsentRequest {
  readonly client: OAuthClient;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Undefined: the client waits on a device. */
  readonly redirectUri: string | undefined;
  readonly device?: AskingDevice;
}

interface OAuthClient {
  readonly id: string;
  readonly name: string | undefined;
  readonly uri: string | undefined;
  readonly redirectUris: readonly string[];
}

export interface Agreement {
  /** Who agrees, and to what, as the caller of the server reads it. */
  readonly accountId: string;
  readonly scopes: readonly string[];
}

export class AuthorizationServer {
  readonly #provider: Provider;
  readonly #basePath: string;
  readonly #decisionSeconds: number;
  readonly #devices: DeviceRequests;
  readonly #answer: RequestAnswer;
  readonly #isPassing: AuthorizationServerOptions['isPassing'];

  constructor(options: AuthorizationServerOptions) {
    const { issuer, records, onError, isPassing, takeAssertion, limits } = options;
    const adapter: Configuration['adapter'] = (kind) => new RecordAdapter(kind, records);
    const more = { adapter, jwks: { keys: [signingKey()] } };
    this.#provider = new Provider(issuer, { ...configurationOf(options), ...more });
    this.#devices = new DeviceRequests(this.#provider, records);
    this.#basePath = new URL(issuer).pathname.replace(/\/$/, '');
    this.#decisionSeconds = limits.decisionSeconds;
    if (takeAssertion !== undefined) grantByAssertion(this.#provider, takeAssertion, limits.accessSeconds);
    this.#provider.proxy = true;
    this.#isPassing = isPassing;
    this.#provider.on('server_error', (context: KoaContextWithOIDC, error: Error) => {
      onError(error);
      if (context.status !== 500 || !isPassing(error)) return;
      context.status = later.status;
      context.set(later.headers);
      context.body = later.body;
    });
    (this.#provider as EventEmitter).on('error', onError);
    this.#answer = this.#provider.callback();
  }

  /** Answers a request to one of `paths`; its address has no path prefix, and its body is not read. */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    from: { readonly protocol: string; readonly host: string; readonly address: string },
  ): Promise<void> {
    const { headers } = request;
    // What a proxy says was checked before; here it is the address of the request.
    headers['x-forwarded-proto'] = from.protocol;
    headers['x-forwarded-host'] = from.host;
    headers['x-forwarded-for'] = from.address;
    // The library has no session that outlives an authorization: each is a decision of its own, by Baton's session.
    headers.cookie = (headers.cookie ?? '')
      .split(/; */)
      .filter((cookie) => !cookie.startsWith(`${sessionName}=`) && !cookie.startsWith(`${sessionName}.sig=`))
      .join('; ');
    const isDecided = await this.#isDecided(new URL(request.url ?? '', this.#provider.issuer)).catch(
      (error: unknown) => {
        if (this.#isPassing(error)) return undefined;
        throw error;
      },
    );
    if (isDecided === undefined) {
      response.writeHead(later.status, later.headers).end(later.body);
      return;
    }
    if (!isDecided) return refuse(response);
    Object.assign(request, { originalUrl: `${this.#basePath}${request.url ?? ''}` });
    await this.#answer(request, response);
  }

  /**
   * What the browser with the cookie began, or what the device with that code asks for; undefined if there is none. `id`: of
   * the authorization, or the code of the device.
   */
  async consentRequest(id: string, cookie: string | undefined): Promise<ConsentRequest | undefined> {
    const device = isUserCode(id) ? await this.#devices.find(id) : undefined;
    const params = device === undefined ? (await this.#underWay(id, cookie))?.params : device.params;
    if (params === undefined) return undefined;
    const client = await this.#provider.Client.find(textOf(params['client_id']));
    if (client === undefined) return undefined;
    return {
      client: {
        id: client.clientId,
        name: client.clientName,
        uri: client.clientUri,
        redirectUris: client.redirectUris ?? [],
      },
      resource: textOf(params['resource']),
      scopes: textOf(params['scope'])
        .split(' ')
        .filter((scope) => scope !== ''),
      ...(device === undefined
        ? { redirectUri: textOf(params['redirect_uri']) }
        : { redirectUri: undefined, device: askingDevice(device, id) }),
    };
  }

  /**
   * Resolves to where the browser goes on; undefined if nothing is under way. `keep`: called with the agreement's id before
   * the client can use it.
   */
  async agree(
    id: string,
    cookie: string | undefined,
    { accountId, scopes }: Agreement,
    keep: (grantId: string) => Promise<void>,
  ): Promise<string | undefined> {
    const asked = await this.consentRequest(id, cookie);
    if (asked === undefined) return undefined;
    const grant = new this.#provider.Grant({ accountId, clientId: asked.client.id });
    grant.addResourceScope(asked.resource, scopes.join(' '));
    const grantId = await grant.save();
    await keep(grantId);
    if (asked.device !== undefined) {
      const { resource } = asked;
      return this.#pageAfter('connected', await this.#devices.agree(id, { accountId, grantId, scopes, resource }));
    }
    const found = await this.#underWay(id, cookie);
    return found && this.#decided(found, { login: { accountId, remember: false }, consent: { grantId } });
  }

  /** Resolves to where the browser goes on; undefined if nothing is under way. */
  async refuse(id: string, cookie: string | undefined): Promise<string | undefined> {
    if (isUserCode(id)) return this.#pageAfter('refused', await this.#devices.refuse(id));
    const found = await this.#underWay(id, cookie);
    if (found === undefined) return undefined;
    return this.#decided(found, { error: 'access_denied', error_description: 'The person did not agree.' });
  }

  #pageAfter(outcome: 'connected' | 'refused', isDecided: boolean): string | undefined {
    return isDecided ? `${this.#provider.issuer}${devicePage}/${outcome}` : undefined;
  }

  /** Resolves to where the browser of the decision goes on, and no other: the address has a text that only it gets. */
  async #decided(found: Interaction, result: Interaction['result']): Promise<string> {
    const decision = randomBytes(32).toString('base64url');
    found.result = { ...result, decision };
    await found.save(this.#decisionSeconds);
    return `${found.returnTo}?${new URLSearchParams({ decision }).toString()}`;
  }

  /**
   * Whether a request that goes on comes from the browser that decided. Who began an authorization could bring someone else
   * to decide it, and go on with what that person agreed to.
   */
  async #isDecided(url: URL): Promise<boolean> {
    const [, uid] = goesOn.exec(url.pathname) ?? [];
    if (uid === undefined) return true;
    const decided = (await this.#provider.Interaction.find(uid))?.result?.['decision'];
    return decided !== undefined && decided === url.searchParams.get('decision');
  }

  /** A page that knows only the address, but did not begin the authorization, has no cookie of it. */
  async #underWay(uid: string, cookie: string | undefined) {
    if (cookie === undefined || cookie !== uid) return undefined;
    const found = await this.#provider.Interaction.find(uid);
    return found === undefined || found.result !== undefined ? undefined : found;
  }
}

type Interaction = InstanceType<Provider['Interaction']>;

const goesOn = new RegExp(`^${paths.authorization}/([^/]+)$`);

function refuse(response: ServerResponse): void {
  const description = 'Another browser decided it, or nothing was decided.';
  const { body, headers } = notConnected('access_denied', description);
  response.writeHead(400, { ...headers, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.end(body);
}

/** RFC 6749 has the code for the authorization endpoint alone; clients of the others read the status. */
const later = {
  status: 503,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'retry-after': '1' },
  body: JSON.stringify({
    error: 'temporarily_unavailable',
    error_description: 'What this needs cannot be reached. Try again soon.',
  }),
};

type RequestAnswer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A parameter that may be repeated has its first value. */
function textOf(parameter: unknown): string {
  const [first] = [parameter].flat();
  return typeof first === 'string' ? first : '';
}

/** The library wants a key for identity tokens. Baton gives none: the key is of this process, and signs nothing. */
const signingKey = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' });
};
