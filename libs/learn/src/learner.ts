/** Drafts a step for each call of a session, or one loop for several calls. */
import type { Json, JsonObject } from '@baton/language';
import { interpolated, member } from '@baton/language';

import type { DraftStep, LearnQuestion } from './draft.ts';
import { composedAnswer, composeStep, freeId, stepOf } from './draft.ts';
import type { OriginContext } from './findOrigin.ts';
import { originOf } from './findOrigin.ts';
import { FoundInputs } from './foundInputs.ts';
import type { Place } from './places.ts';
import { KnownValues, PlaceIndex, placesOfStep } from './places.ts';
import type { SeenCall, SeenRun } from './seenCall.ts';
import { mayBeModels, sourceOf, targetOf } from './seenCall.ts';

export interface LearnerOptions {
  readonly run: Pick<SeenRun, 'inputs' | 'modelTexts'>;
  readonly constants: ReadonlySet<string>;
  /** As in `LearnOptions`. */
  readonly choices: ReadonlySet<string>;
  /** A person's answers by the id of the question: the number of the option. */
  readonly answers: ReadonlyMap<string, number>;
  readonly onCall: (path: string) => void;
}

/** The steps of one call: `sample` steps for its texts, and the call itself. */
export interface DraftedCall {
  readonly id: string;
  readonly steps: readonly JsonObject[];
  readonly reads: ReadonlySet<string>;
  readonly notes: readonly string[];
  readonly places: readonly Place[];
}

const idOf = ({ id }: JsonObject): string => (typeof id === 'string' ? id : '');

/** Finds the loop that the calls begin with, if there is one. */
type FindLoop = (learner: Learner, calls: readonly SeenCall[]) => DraftStep | undefined;

/** The state of learning. A tentative loop works on a copy. */
export class Learner {
  readonly options: LearnerOptions;
  readonly drafts: DraftStep[] = [];
  /** The places in the answers of all drafts. */
  readonly answers = new PlaceIndex();
  readonly questions = new Map<string, LearnQuestion>();
  readonly samples = new Map<string, JsonObject>();
  inputs: FoundInputs;
  ids = new Set<string>();

  constructor(options: LearnerOptions) {
    this.options = options;
    this.inputs = new FoundInputs(options.run.inputs);
  }

  learn(calls: readonly SeenCall[], findLoop: FindLoop): void {
    for (let at = 0; at < calls.length;) {
      const loop = findLoop(this, calls.slice(at));
      if (loop !== undefined) {
        this.#keep(loop);
        at += loop.calls.length;
        continue;
      }
      const call = calls[at];
      if (call !== undefined) this.#keep(this.#single(call));
      at += 1;
    }
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
    const { steps, reads, notes, places } = this.draftCall(call, { id, places: this.places(), prefix: '' });
    const [step = {}] = steps.slice(-1);
    // A text that a model writes becomes a step before the call.
    for (const before of steps.slice(0, -1)) {
      this.drafts.push({
        id: idOf(before),
        step: before,
        calls: [],
        reads,
        isRead: true,
        isLoop: false,
        notes: [`look: a model wrote this text in the ${sourceOf(this.options.run)}; this step asks one`],
        places: [],
      });
    }
    const own = new Set([...reads, ...steps.slice(0, -1).map((one) => idOf(one))]);
    return { id, step, calls: [call], reads: own, isRead: call.effect === 'read', isLoop: false, notes, places };
  }

  /** `prefix`: the path of the enclosing frame in a run, for the paths of `sample` steps. */
  draftCall(
    call: SeenCall,
    { id, places, prefix, ids = this.ids }: { id: string; places: KnownValues; prefix: string; ids?: Set<string> },
  ): DraftedCall {
    this.options.onCall(call.path);
    const used = new Set<string>();
    const notes: string[] = [];
    const before: JsonObject[] = [];
    const compose = (text: string, key: string, sources: readonly Place[]): string | undefined => {
      if (sources.length === 0 || !this.#mayCompose(call, key)) return undefined;
      const made = freeId(ids, `compose_${key}`);
      for (const { step } of sources) if (step !== undefined) used.add(step);
      before.push(composeStep(made, key, targetOf(call), sources));
      this.samples.set(`${prefix}${made}`, composedAnswer(key, text));
      return interpolated(member(`${member('steps', made)}.output`, key));
    };
    const choose = (what: string, options: readonly string[]): number =>
      this.ask(`${call.path} ${what}`, what, options);
    const context: OriginContext = {
      places,
      inputs: this.inputs,
      constants: this.options.constants,
      isChoice: (name) => this.options.choices.has(`${targetOf(call)} ${name}`),
      tool: call.name,
      isModels: (text) => mayBeModels(text, this.options.run),
      used,
      notes,
      compose,
      choose,
    };
    const given: Json = Object.fromEntries(
      Object.entries(call.arguments).map(([name, value]) => [name, originOf(value, name, context)]),
    );
    const order = this.drafts.length + before.length;
    return {
      id,
      steps: [...before, stepOf(id, call, given)],
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

  #mayCompose({ path, name }: SeenCall, key: string): boolean {
    const text = `The text of "${key}" for ${name}: who gives it?`;
    return (
      this.ask(`${path} ${key} text`, text, ['a model writes it, from what was read before', 'it is an input']) === 0
    );
  }
}
