/**
 * One initialised session with one server: what the handshake brought, and the calls that go over it.
 *
 * A session is open, suspect (a call was given up, and it is being asked whether it is still there) or closed. Only an
 * open one is handed out, and a closed one never opens again.
 */
import type { FailureError } from '@baton/engine';
import type { Client, PriorDiscovery } from '@modelcontextprotocol/client';

import type { Ask, Exchange } from './exchange.ts';
import type { Link, LinkReport } from './link.ts';

export interface Introduction {
  readonly protocolVersion: string;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  /** What it says it can do: `tools`, `prompts`, `resources`, … */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions: string | undefined;
  /** What a later session may take for granted. */
  readonly prior: PriorDiscovery;
}

export interface SessionParts {
  readonly id: string;
  readonly client: Client;
  readonly link: Link;
  readonly exchange: Exchange;
  readonly introduction: Introduction;
  readonly pingMs: number;
  /** Told once, when it has closed for whatever reason; `closed` resolves when nothing of it is left. */
  readonly onClosed: (session: Session, failure: FailureError, closed: Promise<void>) => void;
}

export type SessionState = 'open' | 'suspect' | 'closed';

export class Session {
  readonly id: string;
  readonly introduction: Introduction;
  readonly openedAt = performance.now();
  /** Calls that it is doing, and has done. */
  inFlight = 0;
  calls = 0;
  idleSince = performance.now();
  /** Answers that came, of whatever kind: it has proved itself. */
  answers = 0;
  /** Told once, when it has closed. */
  onclosed: (() => void) | undefined;
  /** Told when being handed out makes sense again. */
  onfree: (() => void) | undefined;
  readonly #client: Client;
  readonly #link: Link;
  readonly #exchange: Exchange;
  readonly #pingMs: number;
  readonly #onClosed: SessionParts['onClosed'];
  #state: SessionState = 'open';
  #closing: Promise<void> = Promise.resolve();

  constructor({ id, client, link, exchange, introduction, pingMs, onClosed }: SessionParts) {
    this.id = id;
    this.introduction = introduction;
    this.#client = client;
    this.#link = link;
    this.#exchange = exchange;
    this.#pingMs = pingMs;
    this.#onClosed = onClosed;
    client.onclose = () => void this.close();
    link.onsuspect = () => void this.suspect();
  }

  get state(): SessionState {
    return this.#state;
  }

  get report(): LinkReport {
    return this.#link.report();
  }

  get strays(): number {
    return this.#exchange.strays;
  }

  request(ask: Ask): Promise<unknown> {
    return this.#exchange.request(ask);
  }

  /** A call ran out of time: the server may be slow, or gone. Nobody gets this session until that is known. */
  async suspect(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'suspect';
    if (!(await this.isAlive())) return;
    if (this.#state === 'suspect') this.#state = 'open';
    this.onfree?.();
  }

  /** Asks; closes it where no answer comes. There is no `ping` from 2026-07-28 on, nor anything that could be asleep. */
  async isAlive(): Promise<boolean> {
    if (this.#state === 'closed') return false;
    if (this.introduction.prior.kind === 'modern') return true;
    try {
      await this.#client.ping({ timeout: this.#pingMs });
      return this.state !== 'closed';
    } catch {
      void this.close();
      return false;
    }
  }

  /** Resolves when nothing of it is left. Whoever still waits is told that the connection is lost. */
  close(): Promise<void> {
    if (this.#state !== 'closed') {
      this.#state = 'closed';
      const failure = this.#link.lost();
      this.#exchange.end(failure);
      // The client's own end follows from the link's.
      this.#closing = this.#link.close();
      this.#onClosed(this, failure, this.#closing);
      this.onclosed?.();
    }
    return this.#closing;
  }
}
