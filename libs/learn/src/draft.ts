/** A draft step of a learned workflow, with its facts. */
import { literal, written } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';

import type { LeftOut } from './leaveOut.ts';
import type { Place } from './places.ts';
import type { SeenCall } from './seenCall.ts';

export interface DraftStep {
  readonly id: string;
  /** The step in the form of a workflow file. */
  readonly step: JsonObject;
  /** The calls that the step replaces. */
  readonly calls: readonly SeenCall[];
  /** Ids of the steps whose output it reads. */
  readonly reads: ReadonlySet<string>;
  /** The step only reads. */
  readonly isRead: boolean;
  readonly isLoop: boolean;
  readonly notes: readonly string[];
  /** The places in its output that later steps can read. */
  readonly places: readonly Place[];
}

/** A question that the session leaves open, for a person to decide. */
export interface LearnQuestion {
  readonly id: string;
  readonly text: string;
  /** The likeliest option is the first. */
  readonly options: readonly string[];
}

/** The id of the question about a look-up that nothing reads. */
export const lookUpQuestion = (path: string): string => `${path} left out`;

export interface Learned {
  /** The workflow as YAML. */
  readonly source: string;
  readonly inputs: readonly string[];
  /** The values of the inputs in the session. */
  readonly values: JsonObject;
  readonly leftOut: readonly LeftOut[];
  readonly questions: readonly LearnQuestion[];
  /** Notes for a person to check, by step. */
  readonly notes: readonly { readonly step: string; readonly note: string }[];
  /** The answers of models in the replay. */
  readonly samples: SampleAnswers;
  readonly replay: ReplayResult;
}

export interface ReplayResult {
  /** Whether the workflow made exactly the calls of the session, with the same arguments. */
  readonly same: boolean;
  readonly differences: readonly { readonly path: string; readonly message: string }[];
}

/** Answers of models, taken from the session, by the path of the `sample` step in a run of the workflow. */
export type SampleAnswers = Readonly<Record<string, JsonObject>>;

/** Makes a step of a call. `given`: the arguments with their expressions. */
export function stepOf(id: string, { verb, server, name, effect }: SeenCall, given: Json): JsonObject {
  const target = verb === 'resource' ? server : `${server}/${name}`;
  const isEmpty = typeof given === 'object' && given !== null && Object.keys(given).length === 0;
  return {
    id,
    [verb]: target,
    ...(verb === 'resource' ? { uri: written(name) } : {}),
    ...(verb === 'tool' && effect !== 'write' ? { effect } : {}),
    ...(isEmpty ? {} : { with: given }),
  };
}

/** Makes an unused id for a step. */
export function freeId(taken: Set<string>, word: string): string {
  const name = word
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 48);
  const base = /^[A-Za-z]/.test(name) ? name : `step_${name}`;
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? base : `${base}_${n}`;
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
}

/** Makes a `sample` step for a text that a model wrote in the session. */
export function composeStep(id: string, member: string, target: string, sources: readonly Place[]): JsonObject {
  const read = sources.map(({ expression, value }) =>
    typeof value === 'string' ? `\${{ ${expression} }}` : `\${{ json(${expression}) }}`,
  );
  const wanted = written(`Write the ${literal(member)} for ${target}, from the following.`);
  const append = [wanted, ...read].join('\n\n');
  return { id, sample: { append, output: { [member]: { type: 'string' } } } };
}

/** The model's answer to a step of `composeStep`. */
export const composedAnswer = (member: string, text: string): JsonObject => {
  const output = { [member]: text };
  return { role: 'assistant', model: 'seen', content: { type: 'text', text: JSON.stringify(output) }, output };
};
