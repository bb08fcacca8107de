/**
 * The authorization servers of an installation: one for each origin by which clients reach it, over the same records. Here
 * is who may become a client, and what a person agreed to.
 */
import { createHash } from 'node:crypto';

import { type ClientChoice, type Consent, ProblemError } from '@baton/api';
import {
  type AskedAssertion,
  type AssertedGrant,
  AuthorizationServer,
  type ConsentRequest,
  isClientId,
  isUserCode,
} from '@baton/oauth';
import { cleanText, defined, NewestMap } from '@baton/primitives';
import { type Clock, UnavailableError } from '@baton/runner';
import {
  type ConnectedClient,
  type Database,
  countConnectedClients,
  countRegisteredClients,
  findConnectedClient,
  isConnectedClient,
  listConnectedClients,
  putConnectedClient,
  removeUnusedRegistration,
} from '@baton/store';
import type { Outbound } from '@baton/transports';

import { writableName } from '../keys/actor.ts';
import { AddressCounts } from '../keys/addressCounts.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Principal } from '../keys/scopes.ts';
import { accountIn, accountOf } from './accessTokens.ts';
import { offeredChoices, rightsOf, scopesOf, tokenResources, type TokenResource } from './clientChoices.ts';
import { type SealedRecords, registrationMs } from './sealedRecords.ts';

/** New clients of an address within a minute. */
const newClientsMax = 10;
const tooManyNew = `More than ${newClientsMax} new clients came from this address within a minute.`;
/** Devices of an address that ask for a person within a minute, and codes that a person types wrong. */
const devicesMax = 10;
/** Clients with a document that are connected, and clients that registered: each kind has a limit of its own. */
const clientsMax = 1_000;
/** Origins that are served at the same time; another one pushes out the least recently used. */
const originsMax = 16;
const fetchMs = 5_000;
/** Characters of a client's name. */
const nameMax = 80;

const limits = {
  accessSeconds: 3_600,
  refreshSeconds: 30 * 24 * 3_600,
  codeSeconds: 60,
  deviceSeconds: 600,
  decisionSeconds: 3_600,
} as const;

interface OAuthClientOptions {
  readonly store: Database;
  readonly records: SealedRecords;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly outbound: Pick<Outbound, 'get'>;
  /** They sign the cookies of an authorization that is under way. */
  readonly cookieKeys: readonly Buffer[];
  readonly mayRegister: boolean;
  readonly onError: (error: Error) => void;
  /** Of the identity provider of people; undefined: assertions are not taken. */
  readonly assertions?: { take(asked: AskedAssertion, audience: string): Promise<AssertedGrant> } | undefined;
}

/** The browser that decides. */
export interface DecidingBrowser {
  /** Origin and path prefix by which it came. */
  readonly issuer: string;
  /** The cookie that the authorization server gave to the browser that began. */
  readonly cookie: string | undefined;
  readonly address: string;
}

type AskedConsent = Omit<Consent, 'workflows' | 'servers'>;

export class OAuthClients {
  readonly #options: OAuthClientOptions;
  readonly #servers = new NewestMap<string, AuthorizationServer>(originsMax);
  readonly #newClients: AddressCounts;
  readonly #devices: AddressCounts;
  readonly #wrongCodes: AddressCounts;

  constructor(options: OAuthClientOptions) {
    this.#options = options;
    this.#newClients = new AddressCounts(() => options.clock.monotonic(), newClientsMax);
    this.#devices = new AddressCounts(() => options.clock.monotonic(), devicesMax);
    this.#wrongCodes = new AddressCounts(() => options.clock.monotonic(), devicesMax);
  }

  /** `issuer`: origin and path prefix, without a slash at the end. */
  at(issuer: string): AuthorizationServer {
    const server = this.#servers.get(issuer) ?? this.#open(issuer);
    this.#servers.set(issuer, server);
    return server;
  }

  /**
   * Admits a client of the address that registers itself. The oldest that never got a token makes room for it. Rejects with
   * `ProblemError` if there were too many, and with `UnavailableError`.
   */
  async admitRegistration(address: string): Promise<void> {
    this.#newClients.admit(address, tooManyNew);
    const { store } = this.#options;
    if ((await countRegisteredClients(store)) < clientsMax) return;
    if (await removeUnusedRegistration(store, store.now() + registrationMs)) return;
    throw new ProblemError('rate-limited', `${clientsMax} clients have registered: disconnect some that are not used.`);
  }

  /** Admits a device of the address that asks for a person. Throws `ProblemError` if there were too many. */
  admitDevice(address: string): void {
    this.#devices.admit(address, `More than ${devicesMax} devices of this address asked to log in within a minute.`);
  }

  /** Why the document of a client that is not connected yet is not fetched. */
  async #refusalToAdmit(address: string): Promise<string | undefined> {
    if (this.#newClients.refusal(address, tooManyNew) !== undefined) return `${tooManyNew} Try again in a minute.`;
    this.#newClients.note(address);
    if ((await countConnectedClients(this.#options.store)) < clientsMax) return undefined;
    return `${clientsMax} clients are connected: disconnect some that are not used.`;
  }

  /** What the client of an authorization asks the person for. Rejects with `ProblemError`. */
  async consent(uid: string, person: Principal, browser: DecidingBrowser): Promise<AskedConsent> {
    return (await this.#asked(uid, person, browser)).consent;
  }

  /** Resolves to where the browser goes on. Rejects with `ProblemError`. */
  async decide(uid: string, choice: ClientChoice | null, person: Principal, browser: DecidingBrowser): Promise<string> {
    const { issuer, cookie } = browser;
    const { consent, request, path } = await this.#asked(uid, person, browser);
    const server = this.at(issuer);
    if (choice === null) return (await server.refuse(uid, cookie)) ?? notUnderWay();
    if (!consent.offered.includes(choice)) {
      throw new ProblemError('forbidden', `The client does not ask for "${choice}", or this key may not give it.`);
    }
    const scopes = rightsOf(choice, path).scopes.filter((scope) => request.scopes.includes(scope));
    const keyId = person.id;
    const { client, resource } = request;
    const about = { clientId: client.id, name: consent.client.name, described: digestOf(request) };
    const kept = { ...about, keyId, resource, choice, scopes };
    const goOn = await server.agree(uid, cookie, { accountId: accountOf({ keyId, choice }), scopes }, (id) =>
      putConnectedClient(this.#options.store, { ...kept, id }, person.by),
    );
    return goOn ?? notUnderWay();
  }

  async #asked(uid: string, person: Principal, browser: DecidingBrowser) {
    const { issuer } = browser;
    const request = await this.#requestOf(uid, browser);
    const path = pathIn(request.resource, issuer) ?? notUnderWay();
    const offered = offeredChoices(person, path, request.scopes);
    const before = await this.#before(request, person);
    const known = before.find(({ resource }) => resource === request.resource);
    const wanted = known?.choice as ClientChoice | undefined;
    const preset = [wanted, 'run-approved' as const, offered.at(-1)].find((one) => one && offered.includes(one));
    const { device, redirectUri } = request;
    const redirect = redirectUri === undefined ? undefined : hostOf(redirectUri);
    const host = URL.parse(request.client.id)?.host ?? redirect ?? device?.address ?? '';
    const consent: AskedConsent = {
      client: {
        id: request.client.id,
        name: writableName(cleanText(request.client.name ?? host, nameMax), nameMax) || host,
        host,
        ...defined({ redirect }),
        isKnown: before.length > 0,
      },
      resource: request.resource,
      offered: [...offered],
      preset: preset ?? 'read',
      ...defined({ device }),
      isRemembered: known !== undefined && isUnchanged(known, request, offered),
    };
    return { consent, request, path };
  }

  /** Codes of devices are short: who types wrong ones waits. Rejects with `ProblemError`. */
  async #requestOf(uid: string, { issuer, cookie, address }: DecidingBrowser): Promise<ConsentRequest> {
    if (!isUserCode(uid)) return (await this.at(issuer).consentRequest(uid, cookie)) ?? notUnderWay();
    const tooMany = `More than ${devicesMax} wrong codes came from this address within a minute.`;
    const refusal = this.#wrongCodes.refusal(address, tooMany);
    if (refusal !== undefined) throw refusal;
    const request = await this.at(issuer).consentRequest(uid, cookie);
    if (request !== undefined) return request;
    this.#wrongCodes.note(address);
    throw new ProblemError('not-found', 'No device shows this code, or ten minutes are over: begin again there.');
  }

  /** What the person agreed to before with this client. */
  async #before({ client }: ConsentRequest, person: Principal): Promise<readonly ConnectedClient[]> {
    const connected = await listConnectedClients(this.#options.store, { keyId: person.id });
    return connected.filter(({ clientId }) => clientId === client.id);
  }

  #open(issuer: string): AuthorizationServer {
    const { store, records, keyring, outbound, cookieKeys, mayRegister, onError, assertions } = this.#options;
    return new AuthorizationServer({
      issuer,
      records,
      cookieKeys: cookieKeys.map((key) => key.toString('base64url')),
      scopes: [...new Set(tokenResources.flatMap(scopesOf))],
      scopesOf: (resource) => {
        const path = pathIn(resource, issuer);
        return path && scopesOf(path);
      },
      fetch: async (url, init) => {
        const { status, headers, text } = await outbound.get(new Request(url).url, {
          headers: headersOf(init),
          timeoutMs: fetchMs,
        });
        return new Response(bodiless.has(status) ? null : text, { status, headers });
      },
      mayRegister,
      refusalToFetch: async (clientId, address) => {
        if (!isClientId(clientId)) return 'The client_id is longer than 500 characters.';
        return (await isConnectedClient(store, clientId)) ? undefined : this.#refusalToAdmit(address);
      },
      isGood: async (accountId, grantId) => {
        const account = accountIn(accountId);
        if (account === undefined || (await keyring.find(account.keyId)) === undefined) return false;
        return (await findConnectedClient(store, grantId)) !== undefined;
      },
      takeAssertion: assertions && ((asked) => assertions.take(asked, issuer)),
      isPassing: (error) => error instanceof UnavailableError,
      onError,
      limits,
    });
  }
}

/** The path of a resource of the issuer; undefined if it is none. */
const pathIn = (resource: string, issuer: string): TokenResource | undefined =>
  tokenResources.find((path) => `${issuer}${path}` === resource);

/** For a program on the person's machine the page asks each time: any program there can listen at that address. */
const isUnchanged = (known: ConnectedClient, request: ConsentRequest, offered: readonly ClientChoice[]): boolean =>
  request.redirectUri?.startsWith('https:') === true &&
  URL.canParse(request.client.id) &&
  known.described === digestOf(request) &&
  offered.includes(known.choice as ClientChoice) &&
  known.lastUsedAt !== undefined;

const digestOf = ({ client: { name, uri, redirectUris }, scopes }: ConsentRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([name, uri, [...redirectUris].toSorted(), [...scopes].toSorted()]))
    .digest('hex');

/** Of a private scheme, the scheme. */
function hostOf(address: string): string {
  const url = URL.parse(address);
  if (url === null) return '';
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol;
}

const headersOf = (init: RequestInit | undefined): Record<string, string> =>
  Object.fromEntries(new Headers(init?.headers));

/** Answers of these statuses have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function notUnderWay(): never {
  throw new ProblemError('not-found', 'This authorization has ended, or another browser began it: begin again there.');
}
