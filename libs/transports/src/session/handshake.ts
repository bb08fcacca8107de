/**
 * Shakes hands with a server: finds out which revision it speaks, and how it introduces itself.
 *
 * Over Streamable HTTP `server/discover` is asked first (2026-07-28). However a server answers it, `initialize`
 * follows: a server that answers `initialize` works. Only a login and "too many requests" end the handshake before that.
 */
import { FailureError } from '@baton/engine';
import { type JsonObject, endsWithin, isObject, membersOf } from '@baton/primitives';
import type { ServerPolicy } from '@baton/protocol';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  InsufficientScopeError,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';

import { isMethodUnknown } from '../failure/rpcFailure.ts';
import { isRefusal, StatusError } from '../http/httpFailure.ts';
import type { Connector, Link } from '../link/link.ts';
import {
  type ServerIntroduction,
  modernRevision,
  readDiscovered,
  readInitialized,
  revisions,
  unintroduced,
} from './introduction.ts';
import type { RequestChannel } from './requestChannel.ts';

export interface HandshakeOptions {
  readonly channel: RequestChannel;
  readonly link: Link;
  readonly kind: Connector['kind'];
  readonly protocol: ServerPolicy['protocol'];
  readonly client: { readonly name: string; readonly version: string };
  readonly capabilities: JsonObject;
  /** Of the last session with the server. */
  readonly prior: ServerIntroduction | undefined;
  readonly openMs: number;
  readonly signal: AbortSignal;
}

/** The server introduced itself in a way that Baton cannot use. The message is a part of a sentence. */
class IntroductionError extends Error {
  override readonly name = 'IntroductionError';
}

/** How long a server may think about `server/discover` before it is asked for `initialize`. */
const probeMs = 5_000;
/** The part of the whole time that the probe may take. */
const probePart = 1 / 3;
/**
 * How long the handshake waits for the answer to `notifications/initialized`. A request that overtakes it may be refused,
 * and some servers never answer a notification.
 */
const noticeMs = 1_000;

export class Handshake {
  /** The requests that were sent, in order, and those that have no answer. */
  readonly asked: string[] = [];
  readonly unanswered = new Set<string>();
  readonly #options: HandshakeOptions;
  readonly #deadline: number;

  constructor(options: HandshakeOptions) {
    this.#options = options;
    this.#deadline = performance.now() + options.openMs;
  }

  /** Rejects with `FailureError` and `IntroductionError`. */
  async shake(): Promise<ServerIntroduction> {
    const { kind, prior, protocol, link } = this.#options;
    const wanted = protocol ?? (kind === 'http' ? 'auto' : 'legacy');
    const introduction = await this.#introduction(wanted, prior);
    link.protocolVersion = introduction.protocolVersion;
    if (introduction.prior.kind === 'legacy') await this.#notify();
    return introduction;
  }

  async #introduction(wanted: string, prior: ServerIntroduction | undefined): Promise<ServerIntroduction> {
    if (prior?.prior.kind === 'modern') return prior;
    if (wanted === modernRevision) return this.#discovered();
    const isOpen = wanted === 'auto';
    const found = isOpen && prior === undefined ? await this.#probe() : undefined;
    if (found !== undefined) return found;
    try {
      return await this.#initialize(wanted, prior?.prior.kind === 'legacy' ? prior.prior.offered : undefined);
    } catch (error) {
      // It was too slow to answer the probe, and knows no `initialize`.
      if (isOpen && error instanceof FailureError && (isMethodUnknown(error) || offersModern(error)))
        return this.#discovered();
      throw error;
    }
  }

  /** Undefined where the server said nothing of use. */
  async #probe(isAgain = false): Promise<ServerIntroduction | undefined> {
    const limitMs = Math.min(probeMs, this.#options.openMs * probePart);
    try {
      return readDiscovered(await this.#discover(performance.now() + limitMs));
    } catch (error) {
      if (!(error instanceof FailureError) || endsHandshake(error)) throw error;
      // The server refuses the revision and offers the same one.
      return !isAgain && offersModern(error) ? this.#probe(true) : undefined;
    }
  }

  async #discovered(): Promise<ServerIntroduction> {
    const found = readDiscovered(await this.#discover(this.#deadline));
    if (found !== undefined) return found;
    throw new IntroductionError(
      `its answer to "server/discover" does not offer ${modernRevision}; another revision is chosen by ` +
        '"baton": { "protocol": "legacy" } in mcp.json',
    );
  }

  #discover(deadline: number): Promise<unknown> {
    const { client, capabilities } = this.#options;
    const envelope = {
      [PROTOCOL_VERSION_META_KEY]: modernRevision,
      [CLIENT_INFO_META_KEY]: client,
      [CLIENT_CAPABILITIES_META_KEY]: capabilities,
    };
    return this.#ask('server/discover', {}, deadline, envelope);
  }

  /** `offered`: the revision that the server accepted last time. */
  async #initialize(wanted: string, offered: string | undefined): Promise<ServerIntroduction> {
    const { client, capabilities, kind } = this.#options;
    const known = revisions.filter((revision) => wanted === revision);
    const offers = new Offers(known.length > 0 ? known : revisions, offered);
    for (;;) {
      const params = { protocolVersion: offers.current, capabilities, clientInfo: client };
      try {
        return this.#accepted(await this.#ask('initialize', params, this.#deadline), offers);
      } catch (error) {
        if (!(error instanceof FailureError)) throw error;
        if (kind === 'http-plain' && isMethodUnknown(error)) return this.#accepted(unintroduced, offers);
        if (!offers.moveOn(error)) throw error;
      }
    }
  }

  #accepted(result: unknown, offers: Offers): ServerIntroduction {
    const introduction = readInitialized(result);
    if (typeof introduction === 'string') throw new IntroductionError(introduction);
    const { protocolVersion } = introduction;
    if (!offers.all.includes(protocolVersion)) throw new IntroductionError(offers.refusalOf(protocolVersion));
    return offers.isFirst ? introduction : { ...introduction, prior: { kind: 'legacy', offered: offers.current } };
  }

  async #ask(
    method: string,
    params: JsonObject,
    deadline: number,
    meta?: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    const { channel, signal } = this.#options;
    this.asked.push(method);
    this.unanswered.add(method);
    const ask = { method, params, isBare: true, signal, idleMs: Number.POSITIVE_INFINITY, deadline };
    try {
      const result = await channel.request(meta === undefined ? ask : { ...ask, meta });
      this.unanswered.delete(method);
      return result;
    } catch (error) {
      if (error instanceof FailureError && error.code !== 'timeout') this.unanswered.delete(method);
      throw error;
    }
  }

  /** However the server answers it, the handshake is over. */
  async #notify(): Promise<void> {
    await endsWithin(this.#options.channel.notify('notifications/initialized'), noticeMs);
  }
}

/** The revisions that Baton offers to one server, one after the other. */
class Offers {
  readonly all: readonly string[];
  readonly #tried = new Set<string>();
  current: string;

  constructor(all: readonly string[], first: string | undefined) {
    this.all = all;
    this.current = first !== undefined && all.includes(first) ? first : (all[0] ?? '');
  }

  /** The newest one was accepted, or none that the server named is known. */
  get isFirst(): boolean {
    return this.current === this.all[0];
  }

  /** Offers another revision after this refusal: one that the server names, or else an older one. False: there is none. */
  moveOn(refusal: FailureError): boolean {
    this.#tried.add(this.current);
    if (refusal.delivery !== 'rejected' && refusal.delivery !== 'answered') return false;
    const words = wordsOf(refusal);
    const left = this.all.filter((revision) => !this.#tried.has(revision));
    const named = left.find((revision) => words.includes(revision));
    const next = named ?? (/\bversions?\b|protocol/i.test(words) ? left[0] : undefined);
    if (next === undefined) return false;
    this.current = next;
    return true;
  }

  refusalOf(protocolVersion: string): string {
    const [only, ...more] = this.all;
    const said = `it speaks the revision ${JSON.stringify(protocolVersion.slice(0, 40))}`;
    if (more.length === 0) return `${said}, and "protocol" in mcp.json asks for ${only}`;
    return `${said}, and Baton speaks ${this.all.join(', ')} and ${modernRevision}`;
  }
}

/** All that the server said, its data too; not the address, which may hold the date of a revision. */
function wordsOf({ cause, failure: { details } }: FailureError): string {
  const { message, data } = membersOf(details);
  return `${cause instanceof StatusError ? cause.body : ''} ${JSON.stringify([message, data])}`;
}

/** Whether a refused revision is answered with the newest one (MCP 2026-07-28, UnsupportedProtocolVersionError). */
function offersModern({ failure: { details } }: FailureError): boolean {
  const data = isObject(details) ? details['data'] : undefined;
  const supported = isObject(data) ? data['supported'] : undefined;
  return Array.isArray(supported) && supported.includes(modernRevision);
}

/** No other request would fare better: a person has to log in, the server is overloaded, or it is not there. */
function endsHandshake({ code, delivery, cause }: FailureError): boolean {
  // A connection that takes longer than the probe may has the rest of the time: what was unsent then is late, not refused.
  if (code === 'timeout') return false;
  if (delivery === 'unsent' || code === 'cancelled') return true;
  const status = cause instanceof StatusError ? cause.status : undefined;
  if (code === 'server-unauthorized')
    return status !== 403 || cause instanceof InsufficientScopeError || isRefusal(cause);
  return code === 'server-overloaded' && delivery === 'rejected';
}
