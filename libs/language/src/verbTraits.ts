/** What all rooms must know of a verb. A new one does not compile before it has a row here. */
import type { Step, Verb } from './plan.ts';

interface VerbTraits {
  /** Of the step itself: it calls a server or a model; it waits for a time, a person or a run; or it does neither. */
  readonly acts: 'call' | 'wait' | 'no';
  /**
   * The steps inside: none; in the frame around the step, as if they were in its place; once for each item; in rounds,
   * until a condition holds. Items and rounds have frames of their own.
   */
  readonly holds: 'nothing' | 'steps' | 'items' | 'rounds';
}

export const verbTraits = {
  tool: { acts: 'call', holds: 'nothing' },
  prompt: { acts: 'call', holds: 'nothing' },
  resource: { acts: 'call', holds: 'nothing' },
  sample: { acts: 'call', holds: 'nothing' },
  workflow: { acts: 'wait', holds: 'nothing' },
  ask: { acts: 'wait', holds: 'nothing' },
  wait: { acts: 'wait', holds: 'nothing' },
  set: { acts: 'no', holds: 'nothing' },
  state: { acts: 'no', holds: 'nothing' },
  parallel: { acts: 'no', holds: 'steps' },
  steps: { acts: 'no', holds: 'steps' },
  forEach: { acts: 'no', holds: 'items' },
  switch: { acts: 'no', holds: 'steps' },
  repeat: { acts: 'no', holds: 'rounds' },
  ensure: { acts: 'no', holds: 'rounds' },
  fail: { acts: 'no', holds: 'nothing' },
} as const satisfies Readonly<Record<Verb, VerbTraits>>;

type VerbWith<Trait extends Partial<VerbTraits>> = {
  [Name in Verb]: (typeof verbTraits)[Name] extends Trait ? Name : never;
}[Verb];

type StepWith<Trait extends Partial<VerbTraits>> = Extract<Step, { readonly verb: VerbWith<Trait> }>;

/** A step that makes a call. */
export type CallStep = StepWith<{ acts: 'call' }>;

/** A step that contains other steps. */
export type ControlStep = Exclude<Step, StepWith<{ holds: 'nothing' }>>;

/** A step whose inner steps run more than once. */
export type LoopStep = StepWith<{ holds: 'items' | 'rounds' }>;

export const isCallStep = (step: Step): step is CallStep => verbTraits[step.verb].acts === 'call';

/** The journal of a newer Baton may have verbs that are not known here. */
export const holdsOf = (verb: Verb): VerbTraits['holds'] =>
  Object.hasOwn(verbTraits, verb) ? verbTraits[verb].holds : 'nothing';

export const isControlStep = (step: Step): step is ControlStep => holdsOf(step.verb) !== 'nothing';

export const isLoop = (verb: Verb): boolean => ['items', 'rounds'].includes(holdsOf(verb));

export const isLoopStep = (step: Step): step is LoopStep => isLoop(step.verb);
