/**
 * Where servers post the events of triggers (SEP-3415): an address and a secret for each trigger, both derived from the
 * installation's key, so that every orchestrator knows them.
 */
import { createHmac } from 'node:crypto';

import { Semaphore, unawaited } from '@baton/primitives';

import { type DeployedEvent, pollNameOf } from './deployedPoll.ts';

export interface EventHooksOptions {
  readonly publicUrl: string;
  /** Derived from each key of the installation, the current one first. */
  readonly keys: readonly Buffer[];
}

interface EventHook {
  readonly url: string;
  /** As Standard Webhooks write it. */
  readonly secret: string;
}

interface Left {
  readonly basis: string;
  readonly unsubscribe: (until: AbortSignal) => Promise<void>;
}

/** The last part of the address begins with it: no webhook has such a name. */
const prefix = 'event.';
const tokenCharacters = 22;
const leavingMs = 30_000;

export const isEventHook = (hook: string): boolean => hook.startsWith(prefix);

export class EventHooks {
  readonly #options: EventHooksOptions;
  /** What this process has subscribed to, by the name of the poll. */
  readonly #subscribed = new Map<string, Left>();
  readonly #turns = new Map<string, Semaphore>();

  constructor(options: EventHooksOptions) {
    this.#options = options;
  }

  /** By the draft servers post to `https` alone. */
  get isSecure(): boolean {
    return this.#options.publicUrl.startsWith('https:');
  }

  /** Other parameters have another address: what was subscribed to before is refused. */
  of(deployed: DeployedEvent): EventHook {
    const [key = Buffer.alloc(0)] = this.#options.keys;
    const origin = this.#options.publicUrl.replace(/\/$/, '');
    return {
      url: `${origin}/v1/hooks/${deployed.workflow}/${tokenOf(key, deployed)}`,
      secret: secretOf(key, deployed),
    };
  }

  /** Deliveries write the row of their poll one at a time. Rejects with the signal's reason. */
  async inTurn<Result>(name: string, signal: AbortSignal, write: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    const turn = this.#turns.get(name) ?? new Semaphore(1);
    this.#turns.set(name, turn);
    const giveBack = await turn.take(signal);
    try {
      return await write();
    } finally {
      if (turn.waiting === 0) this.#turns.delete(name);
      giveBack();
    }
  }

  /** With what the deliveries to this last part of the address may be signed; empty: it is not of this trigger. */
  secretsOf(deployed: DeployedEvent, hook: string): readonly string[] {
    const { keys } = this.#options;
    return keys.some((key) => tokenOf(key, deployed) === hook) ? keys.map((key) => secretOf(key, deployed)) : [];
  }

  /** Ends the subscription of an earlier version, which listens for something else. */
  subscribed(deployed: DeployedEvent, unsubscribe: Left['unsubscribe']): void {
    const name = pollNameOf(deployed);
    const { basis } = deployed.trigger;
    if (this.#subscribed.get(name)?.basis !== basis) this.leave(name);
    this.#subscribed.set(name, { basis, unsubscribe });
  }

  /** The trigger is gone. Where this fails, the subscription ends by itself within the hour. */
  leave(name: string): void {
    const left = this.#subscribed.get(name);
    this.#subscribed.delete(name);
    if (left !== undefined) unawaited(left.unsubscribe(AbortSignal.timeout(leavingMs)).catch(() => undefined));
  }
}

const digest = (key: Buffer, what: string, deployed: DeployedEvent): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([what, pollNameOf(deployed), deployed.trigger.basis]))
    .digest();

const tokenOf = (key: Buffer, deployed: DeployedEvent): string =>
  prefix + digest(key, 'address', deployed).toString('base64url').slice(0, tokenCharacters);

const secretOf = (key: Buffer, deployed: DeployedEvent): string =>
  `whsec_${digest(key, 'secret', deployed).toString('base64')}`;
