/** From a connector to a session: starts the link, shakes hands within a time limit, and takes over the calls. */
import { FailureError } from '@baton/engine';
import { cleanText, within } from '@baton/primitives';
import type { ServerPolicy } from '@baton/protocol';
import type { ClientOptions, PriorDiscovery } from '@modelcontextprotocol/client';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';

import { openFailure } from '../failure/openFailure.ts';
import type { Handlers } from './handlers.ts';
import { Handshake } from './handshake.ts';
import type { Connector, Link } from './link.ts';
import { keepListening } from './listening.ts';
import { RequestChannel } from './requestChannel.ts';
import { ServerRequestHandler } from './serverRequestHandler.ts';
import { Session } from './session.ts';
import type { ServerIntroduction, SessionParts } from './session.ts';
import { tasksExtension } from './taskCall.ts';

export interface SessionOpening {
  readonly server: string;
  readonly id: string;
  readonly connector: Connector;
  readonly policy: ServerPolicy;
  readonly client: { readonly name: string; readonly version: string };
  readonly handlers: Handlers;
  /** Where relative paths begin. */
  readonly root: string;
  /** The SDK's discovery result of an earlier session. */
  readonly prior: PriorDiscovery | undefined;
  readonly openMs: number;
  readonly graceMs: number;
  readonly pingMs: number;
  readonly heard: ServerNotices;
  readonly random: () => number;
  readonly onClosed: SessionParts['onClosed'];
  /** Called when a link is closed because its handshake failed. */
  readonly onClosing: (closed: Promise<void>) => void;
}

/** Notifications of the server. */
export interface ServerNotices {
  /** A list of tools, prompts or resources has changed, or may have. */
  onListChanged(): void;
  onResourceUpdated(uri: string): void;
}

const lists = ['tools', 'prompts', 'resources'] as const;
/** The longest name of a server that is stored. */
const nameCharacters = 200;

/**
 * Falls back to HTTP with events if the server rejects Streamable HTTP (MCP 2025-11-25, transports, backwards
 * compatibility). Rejects with `FailureError`, delivery `unsent`, and with the signal's reason.
 */
export async function openSession(opening: SessionOpening, signal: AbortSignal): Promise<Session> {
  const { older } = opening.connector;
  try {
    return await openOver(opening, signal);
  } catch (error) {
    if (older === undefined || !isTurnedAway(error)) throw error;
    try {
      return await openOver({ ...opening, connector: older, prior: undefined }, signal);
    } catch (olderError) {
      signal.throwIfAborted();
      throw olderError instanceof FailureError && olderError.code === 'server-unauthorized' ? olderError : error;
    }
  }
}

const turnedAwayWith: ReadonlySet<unknown> = new Set([400, 404, 405]);

const isTurnedAway = (error: unknown): boolean =>
  error instanceof FailureError && error.cause instanceof SdkHttpError && turnedAwayWith.has(error.cause.status);

async function openOver(opening: SessionOpening, signal: AbortSignal): Promise<Session> {
  const { connector, openMs } = opening;
  const link = await connector.connect();
  const { server, id, handlers, policy, root } = opening;
  const isMute = connector.kind === 'http-plain';
  const answerer = new ServerRequestHandler({ server, session: id, handlers, policy, root, isMute });
  const { capabilities } = answerer;
  const client = new Client(opening.client, { capabilities, ...negotiation(opening) });
  answerer.install(client);
  for (const list of lists) {
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => opening.heard.onListChanged());
  }
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    opening.heard.onResourceUpdated(params.uri);
  });
  const handshake = new Handshake(link);
  try {
    // The handshake may take several requests, each with a limit of its own.
    await within(Promise.race([connect(client, link, opening), handshake.failed]), openMs, { signal, onLate });
  } catch (error) {
    const failure = error instanceof FailureError ? error : openFailure(error, link.account.report(), openMs);
    opening.onClosing(link.close());
    throw failure;
  }
  handshake.end();
  const introduction = introductionOf(client);
  const isModern = introduction.prior.kind === 'modern';
  const exchange = new RequestChannel(link, {
    envelope: isModern ? envelopeOf(introduction, opening, answerer) : undefined,
    cancelsByClosing: (isModern && connector.kind === 'http') || isMute,
    graceMs: opening.graceMs,
    onFlood: () => session.onflood?.(),
  });
  answerer.runs = () => exchange.runs;
  answerer.hold = () => exchange.hold();
  if (!isModern && answerer.listensToLogs && introduction.capabilities['logging'] !== undefined) {
    // A server may declare logging and not support it: that does no harm.
    client.setLoggingLevel(policy.logLevel, { timeout: openMs }).catch(() => {});
  }
  const { pingMs, onClosed } = opening;
  const session = new Session({ id, client, link, exchange, answerer, introduction, pingMs, onClosed });
  // A server that reports no changes is read again after its `ttlMs`.
  if (isModern) hearChanges(client, session, opening).catch(() => {});
  return session;
}

/** Subscribes to changes of lists. Servers before 2026-07-28 report them without a subscription. */
async function hearChanges(client: Client, { introduction, ended }: Session, opening: SessionOpening): Promise<void> {
  const filter = {
    toolsListChanged: announces(introduction, 'tools'),
    promptsListChanged: announces(introduction, 'prompts'),
    resourcesListChanged: announces(introduction, 'resources'),
  };
  if (!Object.values(filter).includes(true)) return;
  const onOpen = (isAgain: boolean): void => (isAgain ? opening.heard.onListChanged() : undefined);
  await keepListening(client, filter, { signal: ended, random: opening.random, onOpen });
}

const announces = ({ capabilities }: ServerIntroduction, list: (typeof lists)[number]): boolean =>
  (capabilities[list] as { readonly listChanged?: unknown } | undefined)?.listChanged === true;

const onLate = (): never => {
  throw new SdkError(SdkErrorCode.RequestTimeout, 'no session in time');
};

const connect = (client: Client, link: Link, { prior, openMs }: SessionOpening): Promise<void> =>
  client.connect(link, { timeout: openMs + 1_000, ...(prior === undefined ? {} : { prior }) });

/**
 * Over stdio an unknown request can end an old server; over Streamable HTTP discovery costs one more request; the other
 * HTTP transports are older than discovery.
 */
function negotiation({ connector, policy }: SessionOpening): ClientOptions {
  const cleanName = policy.protocol ?? (connector.kind === 'http' ? 'auto' : 'legacy');
  if (cleanName === 'auto' || cleanName === 'legacy') return { versionNegotiation: { mode: cleanName } };
  if (cleanName === '2026-07-28') return { versionNegotiation: { mode: { pin: cleanName } } };
  return { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [cleanName] };
}

/** A copy: the client forgets these when it closes. */
function introductionOf(client: Client): ServerIntroduction {
  const discover = client.getDiscoverResult();
  const version = client.getServerVersion();
  const cleanName = (text: string): string => cleanText(text, nameCharacters);
  return {
    protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
    server: version === undefined ? undefined : { name: cleanName(version.name), version: cleanName(version.version) },
    capabilities: client.getServerCapabilities() ?? {},
    instructions: client.getInstructions(),
    prior: discover === undefined ? { kind: 'legacy' } : { kind: 'modern', discover },
  };
}

const envelopeOf = (
  { protocolVersion }: ServerIntroduction,
  { client, policy }: SessionOpening,
  { capabilities, listensToLogs }: ServerRequestHandler,
): Readonly<Record<string, unknown>> => ({
  [PROTOCOL_VERSION_META_KEY]: protocolVersion,
  [CLIENT_INFO_META_KEY]: client,
  [CLIENT_CAPABILITIES_META_KEY]: { ...capabilities, extensions: { [tasksExtension]: {} } },
  ...(listensToLogs ? { [LOG_LEVEL_META_KEY]: policy.logLevel } : {}),
});
