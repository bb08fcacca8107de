/** Drafts a step for each call of a session, or one loop for several calls. */
import { excerpt, interpolated, member, written } from '@baton/expressions';
import { type Json, type JsonObject, isObject } from '@baton/primitives';

import {
  type DraftStep,
  type LearnQuestion,
  composedAnswer,
  composeStep,
  freeId,
  lookUpQuestion,
  stepOf,
} from './draft.ts';
import { type OriginContext, originOf } from './findOrigin.ts';
import { FoundInputs, typeIn } from './foundInputs.ts';
import { type Place, KnownValues, PlaceIndex, placesOfStep } from './places.ts';
import { type SeenCall, type SeenRun, mayBeModels, sourceOf, targetOf } from './seenCall.ts';

export interface LearnerOptions {
  readonly run: Pick<SeenRun, 'inputs' | 'modelTexts'>;
  readonly constants: ReadonlySet<string>;
  /** As in `LearnOptions`. */
  readonly choices: ReadonlySet<string>;
  /** A person's answers by the id of the question: the number of the option. */
  readonly answers: ReadonlyMap<string, number>;
  /** By the path of a look-up: arguments that a model may have written from it, at the numbers of their options. */
  readonly textOptions: ReadonlyMap<string, readonly string[]>;
  /** The input schemas of tools, by `server/tool`. */
  readonly schemas: ReadonlyMap<string, Json>;
  readonly onCall: (path: string) => void;
}

/** The steps of one call: `sample` steps for its texts, the question before it, and last the call itself. */
export interface DraftedCall {
  readonly id: string;
  readonly steps: readonly JsonObject[];
  readonly reads: ReadonlySet<string>;
  readonly notes: readonly string[];
  readonly places: readonly Place[];
}

const idOf = ({ id }: JsonObject): string => (typeof id === 'string' ? id : '');

interface CallPlace {
  readonly id: string;
  readonly places: KnownValues;
  readonly prefix: string;
  readonly ids?: Set<string>;
  /** In a loop: the arguments that are the same in every round, and the places outside of the loop. */
  readonly ofEvery?: { readonly names: ReadonlySet<string>; readonly places: KnownValues };
}

/** Finds the loop, or the rounds, that the calls begin with, if there are any. */
type FindLoop = (learner: Learner, calls: readonly SeenCall[]) => DraftStep | undefined;

/** The state of learning. A tentative loop works on a copy. */
export class Learner {
  readonly options: LearnerOptions;
  readonly drafts: DraftStep[] = [];
  /** The places in the answers of all drafts. */
  readonly answers = new PlaceIndex();
  readonly questions = new Map<string, LearnQuestion>();
  readonly samples = new Map<string, JsonObject>();
  /** Paths of calls that the session made again, and the workflow does not. */
  readonly unretried = new Set<string>();
  inputs: FoundInputs;
  ids = new Set<string>();

  constructor(options: LearnerOptions) {
    this.options = options;
    this.inputs = new FoundInputs(options.run.inputs);
  }

  learn(calls: readonly SeenCall[], folds: readonly FindLoop[]): void {
    for (let at = 0; at < calls.length;) {
      const rest = calls.slice(at);
      const loop = folds.reduce<DraftStep | undefined>((found, fold) => found ?? fold(this, rest), undefined);
      if (loop !== undefined) {
        this.#keep(loop);
        at += loop.calls.length;
        continue;
      }
      const call = calls[at];
      if (call !== undefined && this.#isMade(call)) this.#keep(this.#single(call));
      at += 1;
    }
  }

  /** A call that failed for what an answer gave: a person says whether the workflow makes it. */
  #isMade({ path, name, failure }: SeenCall): boolean {
    if (failure === undefined) return true;
    const text = `${name} failed (${failure.code}) for what an answer gave (${path}). What of it?`;
    return this.ask(`${path} failed`, text, ['it is left out', 'it is called, and may fail']) === 1;
  }

  /** `nearer`: additional places inside a loop. */
  places(nearer: readonly Place[] = []): KnownValues {
    return new KnownValues(this.inputs.places, this.answers, nearer);
  }

  #keep(draft: DraftStep): void {
    this.drafts.push(draft);
    this.answers.add(draft.places);
  }

  #single(call: SeenCall): DraftStep {
    const id = freeId(this.ids, call.verb === 'resource' ? 'read' : call.name);
    const { steps, reads, places, ...drafted } = this.draftCall(call, { id, places: this.places(), prefix: '' });
    const notes = [...drafted.notes];
    if (call.failure !== undefined) notes.push(`look: it failed (${call.failure.code}), and the session went on`);
    const [step = {}] = steps.slice(-1);
    for (const before of steps.slice(0, -1)) this.#keepBefore(before, reads);
    const own = new Set([...reads, ...steps.slice(0, -1).map((one) => idOf(one))]);
    return { id, step, calls: [call], reads: own, isRead: call.effect === 'read', isLoop: false, notes, places };
  }

  /** A text that a model writes, and the question whether the call may be made, are steps before it. */
  #keepBefore(step: JsonObject, reads: ReadonlySet<string>): void {
    const isModels = 'sample' in step;
    const who = sourceOf(this.options.run);
    const note = isModels
      ? `look: a model wrote this text in the ${who}; this step asks one`
      : `a person agreed to this call in the ${who}`;
    const notes = isModels || 'ask' in step ? [note] : [];
    this.drafts.push({ id: idOf(step), step, calls: [], reads, isRead: isModels, isLoop: false, notes, places: [] });
  }

  /** `prefix`: the path of the enclosing frame in a run, for the paths of `sample` steps. */
  draftCall(call: SeenCall, { id, places, prefix, ids = this.ids, ofEvery }: CallPlace): DraftedCall {
    this.options.onCall(call.path);
    const used = new Set<string>();
    const notes: string[] = [];
    const before: JsonObject[] = [];
    const compose = (text: string, key: string, sources: readonly Place[]): string | undefined => {
      if (sources.length === 0 || !this.#mayCompose(call, key)) return undefined;
      return written(text, key, sources);
    };
    const written = (text: string, key: string, sources: readonly Place[]): string => {
      const made = freeId(ids, `compose_${key}`);
      for (const { step } of sources) if (step !== undefined) used.add(step);
      before.push(composeStep(made, key, targetOf(call), sources));
      this.samples.set(`${prefix}${made}`, composedAnswer(key, text));
      return interpolated(member(`${member('steps', made)}.output`, key));
    };
    const choose = (what: string, options: readonly string[]): number =>
      this.ask(`${call.path} ${what}`, `${call.name}: ${what}?`, options);
    const context: OriginContext = {
      places,
      inputs: this.inputs,
      constants: this.options.constants,
      isChoice: (name) => this.options.choices.has(`${targetOf(call)} ${name}`),
      isWrite: call.effect !== 'read',
      tool: call.name,
      typeOf: (name) => typeIn(this.options.schemas.get(targetOf(call)), name),
      isModels: (text) => mayBeModels(text, this.options.run),
      used,
      notes,
      compose,
      choose,
    };
    const given: Record<string, Json> = {};
    for (const [name, value] of Object.entries(call.arguments)) {
      const lookUps = typeof value === 'string' ? this.#writtenFrom(call, name) : [];
      // What every round has alike comes from none of their items.
      const within = ofEvery?.names.has(name) === true ? { ...context, places: ofEvery.places } : context;
      given[name] =
        typeof value === 'string' && lookUps.length > 0 ? written(value, name, lookUps) : originOf(value, name, within);
    }
    if (call.isApproved === true) before.push(...approvalSteps(freeId(ids, `approve_${call.name}`), call, given));
    const order = this.drafts.length + before.length;
    return {
      id,
      steps: [...before, this.#tried(stepOf(id, call, given), call, notes)],
      reads: used,
      notes,
      places: placesOfStep(id, call, order),
    };
  }

  /** The number of the person's option; without an answer the first, which is the likeliest. */
  ask(id: string, text: string, options: readonly string[]): number {
    this.questions.set(id, { id, text, options });
    const answer = this.options.answers.get(id) ?? 0;
    return answer >= 0 && answer < options.length ? answer : 0;
  }

  /** What a person says that a model reads to write the text: answers that nothing else reads. */
  #writtenFrom({ path, effect }: SeenCall, key: string): readonly Place[] {
    if (effect === 'read') return [];
    return this.drafts.flatMap(({ calls, places }) =>
      calls.some((one) => this.options.answers.get(lookUpQuestion(one.path)) === this.#optionFor(one.path, path, key))
        ? places.filter(({ depth }) => depth === 0).slice(0, 1)
        : [],
    );
  }

  /** The number of the option that has a model write this argument from the answer; -1: there is none. */
  #optionFor(lookUp: string, path: string, key: string): number {
    return this.options.textOptions.get(lookUp)?.indexOf(`${path} ${key}`) ?? -1;
  }

  /** A call that was refused, and then made again as it was: a person says whether the workflow does so. */
  #tried(step: JsonObject, call: SeenCall, notes: string[]): JsonObject {
    const { path, name, effect, refusals = [], failure } = call;
    const [first] = refusals;
    if (failure !== undefined) return { ...step, onError: 'ignore' };
    if (first === undefined) return step;
    // A write that was answered is made again only by a step that says so.
    const isRepeated = effect !== 'write' || refusals.length === 1;
    const options = isRepeated ? ['it is made again after a pause', 'it fails'] : ['it fails'];
    const text = `${name} failed (${first.code}), and was made again. What does the workflow do when it fails?`;
    const chosen = options[this.ask(`${path} retry`, text, options)];
    notes.push(`look: it failed (${first.code}: ${excerpt(first.message, 60)}), and was made again`);
    if (chosen === 'it fails') {
      this.unretried.add(path);
      return step;
    }
    const again = [{ wait: '2s' }, step];
    return effect === 'write'
      ? { ...step, onError: { match: [first.code], steps: again } }
      : { ...step, retry: { on: [first.code], attempts: Math.max(3, refusals.length + 1), delay: '2s' } };
  }

  #mayCompose({ path, name }: SeenCall, key: string): boolean {
    const text = `The text of "${key}" for ${name}: who gives it?`;
    return (
      this.ask(`${path} ${key} text`, text, ['a model writes it, from what was read before', 'it is an input']) === 0
    );
  }
}

/** Asks, and fails where the person does not agree. `given`: the arguments with their expressions. */
function approvalSteps(id: string, call: SeenCall, given: JsonObject): readonly JsonObject[] {
  const target = targetOf(call);
  const shown = leavesOf(given).map(([path, text]) => `\n${path}: ${text}`);
  return [
    { id, ask: `${written(`May ${target} be called?`)}${shown.join('')}` },
    {
      if: `!${member('steps', id)}.output.approve`,
      fail: written(`No call of ${target}: a person said no.`),
      code: 'not-approved',
    },
  ];
}

/** Each value and its path; a text may hold expressions. */
function leavesOf(value: Json, path = ''): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((one, i) => leavesOf(one, `${path}[${i}]`));
  if (!isObject(value)) return [[path, typeof value === 'string' ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, path === '' ? key : `${path}.${key}`));
}
