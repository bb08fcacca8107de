/**
 * Keeps all processes within the rates of servers. A call passes two meters with the same rate: the *line*, before its
 * intent, says when its turn comes; the *sent* one, when it can be sent, counts what the server gets. So a call that was
 * late (a slow session, a worker that was away) makes no burst, and one that waits long was not begun.
 */
import type { CallTurn } from '@baton/engine';

import type { CallPace, PacedCall } from '../ports/callPace.ts';
import type { Channels } from '../ports/channels.ts';
import type { Clock } from '../ports/clock.ts';
import { UnavailableError } from '../ports/journal.ts';
import type { Meter, Meters, MeterTurn } from '../ports/meters.ts';
import { textsIn } from './channelTexts.ts';

export interface ServerRate {
  readonly everyMs: number;
  readonly burst: number;
  /** What has a bucket of its own. */
  readonly by: 'server' | 'tool' | 'person';
}

export interface ServerRatesOptions {
  readonly meters: Meters;
  readonly channels: Channels;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'after'>;
  readonly random: () => number;
  readonly rateOf: (server: string) => ServerRate | undefined;
  /** Whether what one call is told holds for all calls to the server. */
  readonly isOneServer: (server: string) => boolean;
  /** Called where the meters begin to be away, and with undefined when they are back. */
  readonly onAway: (error: Error | undefined) => void;
}

/** A call that can be sent waits this long at the most, with its session in hand. */
const sendWithinMs = 2_000;
/** A run waits no longer for its turn. */
const turnMaxMs = 366 * 86_400_000;
/** Before the meters are asked again; up to twice as long, so that not all runs ask at once. */
const awayMs = { least: 5_000, most: 30_000 };
/** Calls to a server without a rate are spread over this part of its pause, after it. */
const spread = 0.1;

export class ServerRates implements CallPace {
  readonly #options: ServerRatesOptions;
  /** By server: when its pause ends, on the monotonic clock. */
  readonly #pauses = new Map<string, number>();
  readonly #stopListening: () => void;
  /** Since when the meters have not answered, on the monotonic clock. */
  #awaySince: number | undefined;

  constructor(options: ServerRatesOptions) {
    this.#options = options;
    this.#stopListening = options.channels.listen('paused', (text) => this.#hear(text));
  }

  /** Learns which servers are paused now. Rejects with `UnavailableError`. */
  async open(): Promise<void> {
    for (const [server, leftMs] of await this.#options.meters.pauses()) this.#notePause(server, leftMs);
  }

  close(): void {
    this.#stopListening();
  }

  /** The meters did not answer when they were last asked: calls to servers with a rate wait. */
  get isAway(): boolean {
    return this.#awaySince !== undefined;
  }

  isPaced(server: string): boolean {
    return this.#options.rateOf(server) !== undefined || this.#pausedMs(server) > 0;
  }

  async takeTurn(
    call: PacedCall,
    { had, withinMs }: { readonly had?: number; readonly withinMs?: number },
  ): Promise<CallTurn> {
    const { clock, random, rateOf } = this.#options;
    const pausedMs = this.#pausedMs(call.server);
    const rate = rateOf(call.server);
    if (pausedMs === 0 && (had !== undefined || rate === undefined)) return { kind: 'at', at: clock.now() };
    if (rate === undefined) {
      const waitMs = pausedMs * (1 + spread * random());
      return asTurn({ waitMs, isTaken: waitMs <= (withinMs ?? Infinity) }, clock.now());
    }
    const turn = await this.#take({ ...meterOf('line', call, rate), withinMs: withinMs ?? turnMaxMs });
    return turn === undefined
      ? { kind: 'away', at: Math.ceil(clock.now() + this.#awayMs() * (1 + random())) }
      : asTurn(turn, clock.now());
  }

  async mayBeSent(call: PacedCall, signal: AbortSignal): Promise<boolean> {
    const rate = this.#options.rateOf(call.server);
    if (rate === undefined) return this.#pausedMs(call.server) === 0;
    const turn = await this.#take({ ...meterOf('sent', call, rate), withinMs: sendWithinMs });
    if (turn === undefined || !turn.isTaken) return false;
    if (turn.waitMs > 0) await this.#wait(turn.waitMs, signal);
    return true;
  }

  noteFailure(server: string, { code, retryAfterMs = 0 }: Parameters<CallPace['noteFailure']>[1]): void {
    const { meters, channels, isOneServer } = this.#options;
    if (code !== 'server-overloaded' || retryAfterMs <= 0 || !isOneServer(server)) return;
    this.#notePause(server, retryAfterMs);
    channels.send('paused', JSON.stringify([server, String(retryAfterMs)]));
    // The processes of now know it from the channel; it is stored for those that start later.
    meters.pause(server, retryAfterMs).catch((error: unknown) => {
      if (!(error instanceof UnavailableError)) throw error;
    });
  }

  /** Each look of a waiting run is an event of its journal: the longer the meters are away, the fewer there are. */
  #awayMs(): number {
    const { clock } = this.#options;
    const forMs = clock.monotonic() - (this.#awaySince ?? clock.monotonic());
    return Math.min(Math.max(awayMs.least, forMs / 2), awayMs.most);
  }

  /** Undefined: the meters are away. */
  async #take(meter: Meter): Promise<MeterTurn | undefined> {
    try {
      const turn = await this.#options.meters.take(meter);
      if (this.#awaySince !== undefined) this.#options.onAway(undefined);
      this.#awaySince = undefined;
      return turn;
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      if (this.#awaySince === undefined) this.#options.onAway(error);
      this.#awaySince ??= this.#options.clock.monotonic();
      return undefined;
    }
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const forget = this.#options.clock.after(Math.ceil(ms), resolve);
    const stop = (): void => resolve();
    signal.addEventListener('abort', stop);
    if (signal.aborted) resolve();
    await promise;
    signal.removeEventListener('abort', stop);
    forget();
  }

  #hear(text: string): void {
    const [server, forMs] = textsIn(text);
    if (server !== undefined && Number.isFinite(Number(forMs))) this.#notePause(server, Number(forMs));
  }

  #notePause(server: string, forMs: number): void {
    const until = this.#options.clock.monotonic() + forMs;
    this.#pauses.set(server, Math.max(until, this.#pauses.get(server) ?? until));
  }

  #pausedMs(server: string): number {
    const until = this.#pauses.get(server);
    if (until === undefined) return 0;
    const leftMs = until - this.#options.clock.monotonic();
    if (leftMs > 0) return leftMs;
    this.#pauses.delete(server);
    return 0;
  }
}

const asTurn = ({ waitMs, isTaken }: MeterTurn, nowMs: number): CallTurn =>
  isTaken ? { kind: 'at', at: Math.ceil(nowMs + waitMs) } : { kind: 'tooFar', waitMs };

function meterOf(
  kind: 'line' | 'sent',
  { server, name, by }: PacedCall,
  { everyMs, burst, ...rate }: ServerRate,
): Meter {
  const own = { server: [], tool: [name], person: [by] }[rate.by];
  return { name: JSON.stringify([kind, server, rate.by, ...own]), server, everyMs, burst };
}
