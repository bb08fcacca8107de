/** From a connector to a session: starts the link, shakes hands within a time limit, and takes over the calls. */
import { FailureError } from '@baton/engine';
import { type JsonObject, within } from '@baton/primitives';
import type { ServerPolicy } from '@baton/protocol';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';

import { connectionLost } from '../failure/connectionLost.ts';
import { NoStreamError, StatusError } from '../http/httpFailure.ts';
import type { Connector } from '../link/link.ts';
import type { Answer } from '../link/messages.ts';
import type { Handlers } from './handlers.ts';
import { Handshake } from './handshake.ts';
import { modernRevision, type ServerIntroduction } from './introduction.ts';
import { keepListening } from './listening.ts';
import { innermost, LateError, openFailure } from './openFailure.ts';
import { RequestChannel, type RequestStyle } from './requestChannel.ts';
import { ServerRequestHandler, type ServerNotices } from './serverRequestHandler.ts';
import { Session, type SessionParts } from './session.ts';
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
  /** How the server introduced itself in the last session. */
  readonly prior: ServerIntroduction | undefined;
  readonly openMs: number;
  readonly graceMs: number;
  readonly pingMs: number;
  readonly heard: ServerNotices;
  readonly random: () => number;
  readonly onClosed: SessionParts['onClosed'];
  /** Called when a link is closed because its handshake failed. */
  readonly onClosing: (closed: Promise<void>) => void;
}

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
      throw isTelling(olderError) ? olderError : error;
    }
  }
}

const turnedAwayWith: ReadonlySet<unknown> = new Set([400, 404, 405]);

function isTurnedAway(error: unknown): boolean {
  const cause = innermost(error);
  return cause instanceof StatusError && turnedAwayWith.has(cause.status);
}

/** Whether the old transport came further than to be turned away at once: then the address is one of it. */
function isTelling(error: unknown): boolean {
  const isLogin = error instanceof FailureError && error.code === 'server-unauthorized';
  return isLogin || !(innermost(error) instanceof NoStreamError);
}

async function openOver(opening: SessionOpening, signal: AbortSignal): Promise<Session> {
  const { connector, openMs, server, id, handlers, policy, root, graceMs, client, heard } = opening;
  const link = await connector.connect();
  const isMute = connector.kind === 'http-plain';
  const send = (answer: Answer): Promise<void> => link.send(answer);
  const answerer = new ServerRequestHandler({ server, session: id, handlers, policy, root, isMute, heard, send });
  const { capabilities } = answerer;
  const style: RequestStyle = { cancelsByClosing: isMute };
  const exchange = new RequestChannel(link, { ...style, graceMs, onCall: (call) => answerer.take(call) });
  link.onclose = () => exchange.end(connectionLost(link.account.report()));
  const given = new AbortController();
  const { kind } = connector;
  const { prior } = opening;
  const { protocol } = policy;
  const waiting = { openMs, signal: given.signal };
  const handshake = new Handshake({ channel: exchange, link, kind, protocol, client, capabilities, prior, ...waiting });
  let introduction: ServerIntroduction;
  try {
    const shaken = link.start().then(() => handshake.shake());
    introduction = await within(shaken, openMs, { signal, onLate: late });
  } catch (error) {
    given.abort();
    const { asked, unanswered } = handshake;
    const failure = openFailure(error, { report: link.account.report(), openMs, asked, unanswered: [...unanswered] });
    opening.onClosing(link.close());
    signal.throwIfAborted();
    throw failure;
  }
  const isModern = introduction.prior.kind === 'modern';
  const envelope = isModern ? { envelope: envelopeOf(opening, capabilities, answerer.listensToLogs) } : {};
  exchange.established({ ...envelope, cancelsByClosing: (isModern && kind === 'http') || isMute });
  answerer.isLegacy = !isModern;
  answerer.runs = () => exchange.runs;
  answerer.hold = () => exchange.hold();
  const { pingMs, onClosed } = opening;
  const session = new Session({ id, link, exchange, answerer, introduction, pingMs, onClosed });
  if (isModern) hearChanges(exchange, session, opening).catch(() => {});
  else {
    link.listen?.();
    if (answerer.listensToLogs) setLogLevel(exchange, session, opening);
  }
  return session;
}

/** A server may declare logging and not support it: that does no harm. */
function setLogLevel(exchange: RequestChannel, session: Session, { policy, openMs }: SessionOpening): void {
  if ((session.introduction.capabilities['logging'] ?? undefined) === undefined) return;
  const limits = { idleMs: openMs, deadline: performance.now() + openMs, signal: session.ended };
  exchange
    .request({ method: 'logging/setLevel', params: { level: policy.logLevel }, isBare: true, ...limits })
    .catch(() => {});
}

const lists = ['tools', 'prompts', 'resources'] as const;

/**
 * Subscribes to changes of lists. Servers before 2026-07-28 report them without a subscription; a server that reports
 * none is read again after its `ttlMs`.
 */
async function hearChanges(
  exchange: RequestChannel,
  { introduction, ended }: Session,
  { heard, random }: SessionOpening,
): Promise<void> {
  const filter = {
    toolsListChanged: announces(introduction, 'tools'),
    promptsListChanged: announces(introduction, 'prompts'),
    resourcesListChanged: announces(introduction, 'resources'),
  };
  if (!Object.values(filter).includes(true)) return;
  const onOpen = (isAgain: boolean): void => (isAgain ? heard.onListChanged() : undefined);
  await keepListening(exchange, filter, { signal: ended, random, onOpen });
}

const announces = ({ capabilities }: ServerIntroduction, list: (typeof lists)[number]): boolean =>
  (capabilities[list] as { readonly listChanged?: unknown } | undefined)?.listChanged === true;

const late = (): never => {
  throw new LateError('no session in time');
};

const envelopeOf = (
  { client, policy }: SessionOpening,
  capabilities: JsonObject,
  listensToLogs: boolean,
): Readonly<Record<string, unknown>> => ({
  [PROTOCOL_VERSION_META_KEY]: modernRevision,
  [CLIENT_INFO_META_KEY]: client,
  [CLIENT_CAPABILITIES_META_KEY]: { ...capabilities, extensions: { [tasksExtension]: {} } },
  ...(listensToLogs ? { [LOG_LEVEL_META_KEY]: policy.logLevel } : {}),
});
