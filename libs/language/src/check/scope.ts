/** What can be seen from one place in a workflow, and what is known about it. */
import type { Type } from '../expression/type.ts';
import * as types from '../expression/type.ts';
import type { ProblemReporter } from '../problem.ts';
import type { CallNote, ReferenceNote } from '../servers/callReport.ts';
import type { ServerOffers } from '../servers/offer.ts';
import type { CheckObserver } from './observer.ts';
import type { CheckOptions } from './options.ts';
import type { StepIndex } from './stepIndex.ts';
import type { WordsNote } from './words.ts';

export interface KnownName {
  readonly type: Type;
  /**
   * ran       it is there whenever this place is reached
   * branch    only where the same case, or the same condition, was true
   * maybe     the run may have failed before it
   */
  readonly certainty: 'ran' | 'branch' | 'maybe';
  /** What it gives came from outside. */
  readonly isCall?: boolean;
}

export type StepsInScope = ReadonlyMap<string, KnownName>;

export interface Scope {
  readonly names: ReadonlyMap<string, Type>;
  /** Undefined: no step has run where this is evaluated. */
  readonly steps: StepsInScope | undefined;
}

/** What the whole check shares. */
export interface CheckRun {
  readonly report: ProblemReporter;
  readonly observe: CheckObserver | undefined;
  readonly index: StepIndex;
  /** Pointers of steps of which nothing is known. */
  readonly opaque: ReadonlySet<string>;
  /** Pointers of steps of which it is unknown what they give. */
  readonly untyped: ReadonlySet<string>;
  readonly workflow: string;
  /** Codes that `match` may name; undefined: any. */
  readonly failureCodes: ReadonlySet<string> | undefined;
  readonly servers: ServerOffers | undefined;
  readonly workflows: CheckOptions['workflows'];
  readonly secrets: CheckOptions['secrets'];
  /** Secrets with which webhooks are signed: those of this file, and all that are known besides. */
  readonly hookSecrets: ReadonlySet<string>;
  readonly effects: CheckOptions['effects'];
  readonly drift: CheckOptions['drift'];
  /** Servers that do not answer, and tools with schemas of no use, of which that was told. */
  readonly assumed: Set<string>;
  /** Of all expressions so far: instructions of their regular expressions, and their parts. */
  readonly bulk: { patterns: number; parts: number };
  /** What may still be spent on expressions that read nothing. */
  readonly constants: { left: number };
  /** False where the schema of that name is to be left alone. */
  readonly mayLookAt: (schema: string) => boolean;
  /** Expressions that may come out as free text. */
  readonly words: WordsNote[];
  /** Pointers of calls of tools that may destroy something. */
  readonly destructive: Set<string>;
  readonly calls: CallNote[];
  readonly references: ReferenceNote[];
}

/** How a step is read: a hyphen after a dot would be a minus. */
export const stepRef = (id: string, optional: '' | '?' = ''): string =>
  id.includes('-') ? `steps[${optional}"${id}"]` : `steps.${optional}${id}`;

export const withNames = (scope: Scope, names: Readonly<Record<string, Type>>): Scope => ({
  ...scope,
  names: new Map([...scope.names, ...Object.entries(names)]),
});

export const withSteps = (scope: Scope, steps: Iterable<readonly [string, KnownName]>): Scope => ({
  ...scope,
  steps: new Map([...(scope.steps ?? []), ...steps]),
});

/** The same steps, none more certain than this. */
export const atMost = (certainty: 'branch' | 'maybe', steps: StepsInScope): Map<string, KnownName> =>
  new Map(
    [...steps].map(([id, known]) => [id, { ...known, certainty: known.certainty === 'branch' ? 'branch' : certainty }]),
  );

export const errorType = types.map({ code: types.text, message: types.text, step: types.orNull(types.text) });

export const runType = types.map({
  id: types.text,
  workflow: types.text,
  version: types.orNull(types.number),
  startedAt: types.text,
  trigger: types.map({ kind: types.text }, types.any),
});

/** Names that no item may take. */
export const ownNames = [
  'inputs',
  'steps',
  'run',
  'event',
  'error',
  'index',
  'secrets',
  'signal',
  'result',
  'cel',
  'math',
  'optional',
];
