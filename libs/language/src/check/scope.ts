/** What an expression at one place of a workflow can read, and what is known about it. */
import { namespaces, type Guards, type Type, types } from '@baton/expressions';

import { LayeredMap } from './layeredMap.ts';

export interface KnownName {
  readonly type: Type;
  /**
   * ran       it is there whenever this place is reached
   * branch    only where the same case, or the same condition, was true
   * maybe     the run may have failed before it
   */
  readonly certainty: 'ran' | 'branch' | 'maybe';
  /** Its result comes from outside. */
  readonly isCall?: boolean;
  /** All of its condition, if nothing else leaves it without results. */
  readonly onlyIf?: ReadonlySet<string>;
}

export type StepsInScope = ReadonlyMap<string, KnownName>;

export interface CheckScope {
  readonly names: ReadonlyMap<string, Type>;
  /** Undefined: no step has run where this is evaluated. */
  readonly steps: StepsInScope | undefined;
  /** Steps that were not skipped, since their condition holds here. */
  readonly ran?: Guards;
}

/** The expression that reads a step: a hyphen after a dot would be a minus. */
export const stepRef = (id: string, optional: '' | '?' = ''): string =>
  id.includes('-') ? `steps[${optional}"${id}"]` : `steps.${optional}${id}`;

export const withNames = (scope: CheckScope, names: Readonly<Record<string, Type>>): CheckScope => ({
  ...scope,
  names: new Map([...scope.names, ...Object.entries(names)]),
});

export function withSteps(scope: CheckScope, steps: Iterable<readonly [string, KnownName]>): CheckScope {
  const added = new Map(steps);
  if (added.size === 0 && scope.steps !== undefined) return scope;
  return { ...scope, steps: scope.steps === undefined ? added : new LayeredMap(scope.steps, added) };
}

/** The same steps, none more certain than this. */
export const atMost = (certainty: 'branch' | 'maybe', steps: StepsInScope): Map<string, KnownName> =>
  new Map(
    [...steps].map(([id, known]) => [id, { ...known, certainty: known.certainty === 'branch' ? 'branch' : certainty }]),
  );

export const errorType = types.map({ code: types.text, message: types.text, step: types.orNull(types.text) });

export const runType = types.map({
  id: types.text,
  workflow: types.text,
  // Null in a run of a text that was not deployed, for which hardly a workflow is written.
  version: types.number,
  startedAt: types.text,
  trigger: types.map({ kind: types.text }, types.any),
});

/** Names that no item may take. */
export const ownNames = [
  'inputs',
  'state',
  'steps',
  'run',
  'event',
  'error',
  'index',
  'secrets',
  'signal',
  'result',
  ...Object.keys(namespaces),
];
