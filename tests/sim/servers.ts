/**
 * Tool servers. What a call did is in the ledger as soon as the call arrives; whether its answer comes back is another
 * matter.
 *
 *   get, find   read
 *   put         idempotent
 *   pledge      idempotent, and dishonest: it says that it is done, and does it at once, later or never
 *   pay, undo   write
 *   book        write, and the server configuration declares how to find out whether it happened
 */
import { type Delivery, type FailureCode, FailureError } from '@baton/engine';
import type { DeclaredCheck, Effect } from '@baton/language';
import type { JsonObject } from '@baton/primitives';
import type { CallContext, CallResult, Calls, Models } from '@baton/runner';

import type { Ledger } from './ledger.ts';
import type { Machine } from './machine.ts';
import type { Rates } from './rates.ts';
import type { Safeguard } from './safeguards.ts';

export const effects: Readonly<Record<string, Effect>> = {
  get: 'read',
  find: 'read',
  put: 'idempotent',
  pledge: 'idempotent',
  pay: 'write',
  undo: 'write',
  book: 'write',
};

export const declaredChecks: Readonly<Record<string, DeclaredCheck>> = {
  book: { tool: 'find', with: { key: '${{ call.arguments.key }}' }, happened: 'result.output.found' },
};

export interface ServersAround {
  readonly ledger: Ledger;
  readonly rates: () => Rates;
  readonly off: ReadonlySet<Safeguard>;
}

const noAnswerMs = 8_000;

export function serversFor(machine: Machine, around: ServersAround): Calls & Models {
  const call = (tool: string, args: JsonObject, context: CallContext): Promise<CallResult> =>
    new Promise((resolve, reject) => new Flight(machine, around, { tool, args, context, resolve, reject }).begin());
  return {
    callTool: ({ tool, arguments: args }, context) => call(tool, args, context),
    getPrompt: ({ prompt, arguments: args }, context) => call(prompt, args, context),
    readResource: ({ uri, arguments: args }, context) => call(uri, args, context),
    release: () => undefined,
    sample: async () => {
      throw new FailureError('model-failed', 'There are no models here.');
    },
  };
}

interface AskedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly context: CallContext;
  readonly resolve: (result: CallResult) => void;
  readonly reject: (error: FailureError) => void;
}

class Flight {
  readonly #machine: Machine;
  readonly #around: ServersAround;
  readonly #asked: AskedCall;
  #isSent = false;
  /** It is on the network: a caller that gives up now does so a moment later, since it could not know yet. */
  #isTravelling = false;
  #isOver = false;
  #forget = (): void => undefined;

  constructor(machine: Machine, around: ServersAround, asked: AskedCall) {
    this.#machine = machine;
    this.#around = around;
    this.#asked = asked;
  }

  begin(): void {
    const { signal, timeout } = this.#asked.context;
    const { random, clock } = this.#machine;
    const onAbort = (): void => this.#onAbort();
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    this.#forget = clock.after(timeout.totalMs ?? timeout.idleMs ?? noAnswerMs, () => this.#onTimeout());
    // A session has to be had first.
    if (random.chance(this.#around.rates().poolWaits)) clock.after(random.int(1, 12_000), () => this.#send());
    else this.#send();
  }

  #send(): void {
    if (this.#isOver) return;
    const { context } = this.#asked;
    const { off, rates } = this.#around;
    const { random } = this.#machine;
    if (!off.has('lastLook') && context.beginSend?.() === false) return this.#fail('worker-lost', 'unsent');
    // Killed here it was never sent. Stopped between the look and the sending it would be sent afterwards: no fence can
    // help that, short of the server's own, and the simulation does not ask for it.
    if (!this.#machine.operate()) return;
    if (random.chance(rates().callUnsent)) return this.#fail('server-unreachable', 'unsent');
    this.#isSent = true;
    this.#around.ledger.noteSent(context.attemptKey);
    this.#isTravelling = !this.#machine.isCutOff;
    const sentAt = this.#machine.world.now;
    this.#machine.send(() => this.#arrive(sentAt));
  }

  #onTimeout(): void {
    if (this.#isTravelling) this.#machine.clock.after(50, () => this.#onTimeout());
    else this.#fail('timeout', this.#isSent ? 'unknown' : 'unsent');
  }

  #arrive(sentAt: number): void {
    this.#isTravelling = false;
    const { tool, args, context } = this.#asked;
    const { ledger, rates } = this.#around;
    const { random, world, name } = this.#machine;
    const { callRejected, callFails, answerLost, callHangs } = rates();
    if (random.chance(callRejected)) return this.#answer(() => this.#fail('server-overloaded', 'rejected'));
    const key = JSON.stringify(args['key']);
    const found = ledger.times(key) > 0;
    const { attemptKey, runId } = context;
    const effect = effects[tool] ?? 'write';
    const row = { attemptKey, runId, tool, effect, worker: name, sentAt };
    const perform = (done: string): void => ledger.add({ ...row, key: done, arrivedAt: world.now });
    if (tool === 'pledge') {
      perform(`asked for ${key}`);
      if (random.chance(0.7)) world.after(random.pick([0, 0, 2_000, 9_000]), () => perform(key));
    } else perform(key);
    if (random.chance(callHangs)) return;
    const takesMs = random.chance(0.1) ? random.int(1_000, 6_000) : random.int(0, 300);
    world.after(takesMs, () => {
      if (random.chance(answerLost)) this.#answer(() => this.#fail('connection-lost', 'unknown'));
      else if (random.chance(callFails)) this.#answer(() => this.#fail('tool-failed', 'answered'));
      else this.#answer(() => this.#succeed(found));
    });
  }

  #answer(arrive: () => void): void {
    this.#machine.receive(arrive);
  }

  #succeed(found: boolean): void {
    if (this.#isOver) return;
    this.#end();
    const isLarge = this.#machine.random.chance(this.#around.rates().largeAnswers);
    // Each has another value: two that are alike are stored once.
    const large = isLarge ? { large: this.#asked.context.attemptKey.padEnd(70_000, 'x') } : {};
    const text = JSON.stringify({ found, ...large });
    this.#asked.resolve({ result: { content: [{ type: 'text', text }] } });
  }

  #fail(code: FailureCode, delivery: Delivery): void {
    if (this.#isOver) return;
    this.#end();
    const isLie = delivery === 'unknown' && this.#around.off.has('honestDelivery');
    this.#asked.reject(new FailureError(code, `It said: ${code}.`, { delivery: isLie ? 'unsent' : delivery }));
  }

  /** Some servers stop, some finish what they do and answer, some do neither. */
  #onAbort(): void {
    const { random, clock } = this.#machine;
    if (!this.#isSent) this.#fail('cancelled', 'unsent');
    else if (random.chance(0.7)) clock.after(random.int(0, 2_000), () => this.#fail('cancelled', 'unknown'));
  }

  #end(): void {
    this.#isOver = true;
    this.#forget();
  }
}
