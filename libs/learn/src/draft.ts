/** A step of the workflow that is being learned, with what the learner knows of it so far. */
import type { Json, JsonObject } from '@baton/language';
import { literal, written } from '@baton/language';

import type { LeftOut } from './leaveOut.ts';
import type { Place } from './places.ts';
import type { SeenCall } from './seenCall.ts';

export interface Draft {
  readonly id: string;
  /** As in a workflow file. */
  readonly step: JsonObject;
  /** The calls that it stands for. */
  readonly calls: readonly SeenCall[];
  /** Ids of the steps that it reads. */
  readonly reads: ReadonlySet<string>;
  /** It changes nothing. */
  readonly isRead: boolean;
  readonly isLoop: boolean;
  readonly notes: readonly string[];
  /** What later steps can read of it. */
  readonly places: readonly Place[];
}

/** Something that the session leaves open, and that a person may decide. */
export interface LearnQuestion {
  readonly id: string;
  readonly text: string;
  /** The likelier first. */
  readonly options: readonly string[];
}

export interface Learned {
  /** YAML. */
  readonly source: string;
  readonly inputs: readonly string[];
  readonly leftOut: readonly LeftOut[];
  readonly questions: readonly LearnQuestion[];
  /** What to look at, by step. */
  readonly notes: readonly { readonly step: string; readonly note: string }[];
  /** What a model is taken to answer in the replay, by the path of its step. */
  readonly samples: SampleAnswers;
  readonly replay: ReplayResult;
}

export interface ReplayResult {
  /** The workflow made the calls that it was learned from, with the same arguments, and no other. */
  readonly same: boolean;
  readonly differences: readonly { readonly path: string; readonly message: string }[];
}

/** What a model answered: what stood in the session. By the path of the sample step in a run of the workflow. */
export type SampleAnswers = Readonly<Record<string, JsonObject>>;

/** A call as a step, with what its arguments became. */
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

/** A name for a step that no other has. */
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

/** A step that asks a model for a text that a model wrote in the session. */
export function composeStep(id: string, member: string, target: string, sources: readonly Place[]): JsonObject {
  const read = sources.map(({ expression, value }) =>
    typeof value === 'string' ? `\${{ ${expression} }}` : `\${{ json(${expression}) }}`,
  );
  const wanted = written(`Write the ${literal(member)} for ${target}, from the following.`);
  const append = [wanted, ...read].join('\n\n');
  return { id, sample: { append, output: { [member]: { type: 'string' } } } };
}

/** As a model answers a step that `composeStep` made. */
export const composed = (member: string, text: string): JsonObject => {
  const output = { [member]: text };
  return { role: 'assistant', model: 'seen', content: { type: 'text', text: JSON.stringify(output) }, output };
};
