/** Random workflows: every verb that the simulation knows, nested, with every policy. */
import { compile, type DecidedEffect, type Plan, type ToolDeclaration, type Workflow } from '@baton/language';
import type { JsonObject } from '@baton/primitives';

import type { Random } from './random.ts';
import { declaredChecks, effects } from './servers.ts';

export interface Document {
  readonly workflow: string;
  readonly state?: JsonObject;
  readonly concurrency?: JsonObject;
  readonly steps: readonly JsonObject[];
  readonly ensure?: readonly JsonObject[];
  readonly timeout?: string;
  readonly onFailure?: readonly JsonObject[];
  readonly finally?: readonly JsonObject[];
}

/** The last ones that were compiled: the same seeds are played for each safeguard, and one probe for all seeds. */
const plans = new Map<string, Plan>();
const plansMax = 500;

/** Unchecked: `Writer` writes valid workflows, and a test holds it to that. */
export function planOfDocument(document: Document): Plan {
  const text = JSON.stringify(document);
  const plan =
    plans.get(text) ?? compile(document as unknown as Workflow, { effects: effectOf, declarations: declarationOf });
  plans.delete(text);
  plans.set(text, plan);
  const [oldest] = plans.keys();
  if (plans.size > plansMax && oldest !== undefined) plans.delete(oldest);
  return plan;
}

const effectOf = (_server: string, tool: string): DecidedEffect | undefined => {
  const effect = effects[tool];
  return effect && { effect, from: 'server' };
};

const declarationOf = (_server: string, tool: string): ToolDeclaration | undefined => {
  const check = declaredChecks[tool];
  return check && { check };
};

const transientCodes = ['server-overloaded', 'server-unreachable', 'connection-lost', 'timeout', 'worker-lost'];

export const childName = 'child';
export const grandchildName = 'grandchild';
const childNames: Readonly<Record<string, string>> = { [childName]: grandchildName };
/** A secret that some calls are made with. */
export const secretName = 'KEY';

export interface WritingStyle {
  /** How likely a step is a child run, where a tool is 12. */
  readonly childWeight: number;
  /** The probability that a call is given the answers of earlier ones. */
  readonly reading: number;
  /** The probability that runs of the workflow wait for each other. */
  readonly queueing: number;
}

export const usualStyle: WritingStyle = { childWeight: 1.5, reading: 0.3, queueing: 0.3 };

export function randomWorkflow(random: Random, name: string, style = usualStyle): Document {
  return new Writer(random, name, style).write(name);
}

const expression = (text: string): string => ['$', `{{ ${text} }}`].join('');

/** Writes beside each other; what follows each of them is decided by an answer that left the cache of a worker long ago. */
export const decidingWorkflow: Document = {
  workflow: 'deciding',
  steps: [
    ...['first', 'second'].map((id) => ({
      id,
      tool: 's/get',
      with: { key: [expression('run.id'), id, ''].join('/') },
    })),
    {
      parallel: ['first', 'second'].map((id) => ({
        steps: [
          { tool: 's/pay', with: { key: [expression('run.id'), `after ${id}`, 'fail', ''].join('/') } },
          { if: `has(steps.${id}.output.large)`, set: { isLarge: true } },
        ],
      })),
    },
  ],
};

const pledged = [expression('run.id'), 'pledged', ''].join('/');

/** Asks a server for something that this may say to have done and has not, and looks whether it is there. */
export const promisingWorkflow: Document = {
  workflow: 'promising',
  steps: [{ id: 'pledged', tool: 's/pledge', with: { key: pledged } }],
  ensure: [{ tool: 's/find', with: { key: pledged }, that: 'result.output.found', within: '6s', every: '1s' }],
};

/** The same, under a limit that may end the reading. */
export const pressedWorkflow: Document = {
  workflow: 'pressed',
  timeout: '5s',
  steps: [
    {
      id: 'pledged',
      tool: 's/pledge',
      with: { key: pledged },
      undo: { tool: 's/undo', with: { key: `undo ${pledged}` }, onError: 'ignore' },
      ensure: [{ tool: 's/find', with: { key: pledged }, that: 'result.output.found', within: '6s', every: '1s' }],
    },
  ],
};

/** Runs of it count themselves in the state that they share, and say which was the last. */
export const countingWorkflow: Document = {
  workflow: 'counting',
  state: { count: { type: 'integer', default: 0 }, last: { type: 'string', default: '' } },
  steps: [
    { id: 'thought', tool: 's/get', with: { key: [expression('run.id'), 'thought', ''].join('/') }, onError: 'ignore' },
    { id: 'counted', state: { count: expression('state.count + 1') }, ifUnchanged: true, onError: 'ignore' },
    { id: 'signed', state: { last: expression('run.id') } },
  ],
};

/** What a run of it promises, as the ledger names it. */
export const promiseOf = (runId: string): string => JSON.stringify(`${runId}/pledged/`);

type Order = 'in turn' | 'at once' | 'race';

class Writer {
  readonly #random: Random;
  readonly #isChild: boolean;
  /** The workflow of its child runs. */
  readonly #childName: string | undefined;
  readonly #style: WritingStyle;
  #ids = 0;
  /** Steps that may still be written. */
  #left: number;
  /** The tool steps before, in the same list. */
  #before: string[] = [];

  constructor(random: Random, name: string, style: WritingStyle) {
    this.#random = random;
    this.#style = style;
    this.#isChild = name === childName || name === grandchildName;
    this.#childName = childNames[name] ?? (this.#isChild ? undefined : childName);
    this.#left = this.#isChild ? 3 : random.int(2, 10);
  }

  write(workflow: string): Document {
    const steps = this.#steps(this.#isChild ? 2 : 4, 0, '');
    const more = (chance: number): JsonObject[] | undefined =>
      this.#random.chance(chance) ? [this.#tool('')] : undefined;
    const onFailure = more(0.2);
    const last = more(0.3);
    const random = this.#random.stream('concurrency');
    const concurrency = random.chance(this.#style.queueing) ? { concurrency: { limit: random.int(1, 2) } } : {};
    return { workflow, ...concurrency, steps, ...(onFailure && { onFailure }), ...(last && { finally: last }) };
  }

  #steps(most: number, depth: number, suffix: string, order: Order = 'in turn'): JsonObject[] {
    const steps: JsonObject[] = [];
    const outside = this.#before;
    const beside: string[] = [];
    this.#before = [];
    do {
      const step = this.#step(depth, suffix);
      steps.push(step);
      if ('tool' in step && typeof step['id'] === 'string') this.#before.push(step['id']);
      if (order !== 'in turn') beside.push(...this.#before.splice(0));
    } while (this.#left > 0 && steps.length < most && this.#random.chance(0.75));
    this.#before = order === 'at once' ? [...outside, ...beside] : outside;
    return steps;
  }

  /** `suffix`: what tells one round of a loop from another, in the key of an effect. */
  #step(depth: number, suffix: string): JsonObject {
    this.#left -= 1;
    const isDeep = depth >= 2 || this.#left <= 0;
    const verb = this.#random.weighted({
      tool: 12,
      set: 1,
      wait: 1.5,
      signal: 0.7,
      ask: 0.7,
      child: this.#childName === undefined || suffix !== '' ? 0 : this.#style.childWeight,
      fail: 0.15,
      parallel: isDeep ? 0 : 2,
      race: isDeep ? 0 : 0.7,
      steps: isDeep ? 0 : 2,
      forEach: isDeep || suffix !== '' ? 0 : 2,
      repeat: isDeep || suffix !== '' ? 0 : 1,
      switch: isDeep ? 0 : 1,
    });
    if (verb !== 'tool') return { id: this.#id(), ...this.#other(verb, depth, suffix) };
    return this.#tool(suffix);
  }

  #other(verb: string, depth: number, suffix: string): JsonObject {
    const random = this.#random;
    const index = expression('index');
    switch (verb) {
      case 'wait':
        return { wait: random.chance(0.5) ? '700ms' : '4s' };
      case 'signal':
        return { wait: { signal: 'paid', timeout: '20s' }, onError: 'ignore' };
      case 'ask':
        return { ask: 'Shall I?', form: { yes: { type: 'boolean' } }, expires: '30s', onExpire: { yes: false } };
      case 'child':
        return {
          workflow: this.#childName ?? childName,
          ...(random.chance(0.2) ? { await: false } : {}),
          ...this.#onError(),
        };
      case 'fail':
        return { fail: 'So it is written.' };
      case 'parallel':
        return { parallel: this.#steps(3, depth + 1, suffix, 'at once') };
      case 'race':
        return { parallel: this.#steps(3, depth + 1, suffix, 'race'), until: 'first' };
      case 'steps': {
        const last = random.chance(0.5) ? { finally: [this.#tool(suffix)] } : {};
        const timeout = random.chance(0.2) ? { timeout: '3s' } : {};
        return { steps: this.#steps(3, depth + 1, suffix), ...last, ...timeout, ...this.#onError() };
      }
      case 'forEach': {
        const onItemError = random.chance(0.5) ? { onItemError: 'collect' } : {};
        const items = Array.from({ length: random.int(1, 3) }, (_, n) => n);
        // It draws nothing: the seeds in which a safeguard matters stay as early as they are.
        const distribute = items.length === 2 ? { distribute: true } : {};
        return {
          forEach: items,
          as: 'n',
          maxParallel: random.int(1, 3),
          ...onItemError,
          ...distribute,
          steps: this.#steps(2, depth + 1, index),
        };
      }
      case 'repeat':
        return { repeat: { max: 2, every: '1s', steps: this.#steps(2, depth + 1, index) } };
      case 'switch':
        return { switch: [{ when: 'size(run.id) > 0', steps: this.#steps(2, depth + 1, suffix) }] };
      default:
        return { set: { x: random.int(0, 9) } };
    }
  }

  #tool(suffix: string): JsonObject {
    const random = this.#random;
    const tool = random.weighted({ get: 3, put: 2, pay: 6 });
    const id = this.#id();
    const ifUnknown = random.weighted({ fail: 1, retry: 1, ask: 1, check: 3 });
    const key = [expression('run.id'), id, ifUnknown, suffix].join('/');
    const more = {
      ...(this.#before.length > 0 && random.chance(this.#style.reading) ? this.#earlierAnswers() : {}),
      ...(random.chance(0.1) ? { secret: expression(`secrets.${secretName}`) } : {}),
    };
    const base = { id, tool: `s/${tool}`, with: { key, ...more } };
    const retry = { attempts: random.int(1, 3), delay: random.chance(0.5) ? '100ms' : '3s' };
    // A tool's own failure is final, unless the author names it; what only reads, or may be repeated, is named half of
    // the time.
    const on = random.chance(0.5) ? { on: [...transientCodes, 'tool-failed'] } : {};
    if (tool !== 'pay') return { ...base, retry: { ...retry, ...on }, ...this.#onError() };
    const was = expression(`steps.${id}.output`);
    const undo = random.chance(0.4)
      ? { undo: { tool: 's/undo', with: { key: `undo ${key}`, was }, onError: 'ignore' } }
      : {};
    const isDeclared = ifUnknown === 'check' && random.chance(0.5);
    const unknown = isDeclared ? { tool: 's/book' } : ifUnknownOf(ifUnknown, key);
    return { ...base, retry, ...unknown, ...undo, ...this.#onError() };
  }

  /** The first one left the cache of a worker, if it was large, when the last one came. */
  #earlierAnswers(): JsonObject {
    const answers = [this.#before.at(0), this.#before.at(-1)];
    return { after: answers.map((id) => expression(`steps.${id}.output`)) };
  }

  #onError(): JsonObject {
    if (this.#random.chance(0.8)) return {};
    if (this.#random.chance(0.5)) return { onError: 'ignore' };
    return { onError: [{ steps: [{ id: this.#id(), set: { handled: true } }] }] };
  }

  #id(): string {
    this.#ids += 1;
    return `a${this.#ids}`;
  }
}

/** The policy is part of the key: the ledger alone tells how often a thing may have been done. */
function ifUnknownOf(ifUnknown: string, key: string): JsonObject {
  if (ifUnknown === 'fail') return {};
  if (ifUnknown !== 'check') return { ifUnknown };
  const retry = { attempts: 5, delay: '1s' };
  return { ifUnknown, check: { tool: 's/find', with: { key }, retry, happened: 'result.output.found' } };
}

/** How often the effect behind a key may be performed, going by what its author asked for. */
export function allowedTimes(key: string): number {
  const mayRepeat = !key.startsWith('"undo ') && key.split('/')[2] === 'retry';
  return mayRepeat ? Infinity : 1;
}
