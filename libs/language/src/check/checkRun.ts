/** What a check takes along from place to place, and whom it tells what it sees. */
import type { PlacedStep } from '../document/inner.ts';
import type { CompiledSource } from '../expression/source.ts';
import type { Type } from '../expression/type.ts';
import type { ProblemReporter } from '../problem.ts';
import type { CallNote, ReferenceNote } from '../servers/callReport.ts';
import type { ServerOffers } from '../servers/offer.ts';
import type { CheckOptions } from './options.ts';
import type { Scope, StepsInScope } from './scope.ts';
import type { StepIndex } from './stepIndex.ts';

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
  /** Pointers of calls that are known to write. */
  readonly writes: Set<string>;
  readonly calls: CallNote[];
  readonly references: ReferenceNote[];
}

export interface ExpressionSite {
  readonly checking: CheckRun;
  readonly scope: Scope;
  /** Secrets may be inserted here: this server is given them. */
  readonly secretsFor?: string;
  /** What conditions around the place have asked `has(…)` about. */
  readonly guarded?: ReadonlySet<string>;
  /** Where the types of computed texts are put, by pointer. */
  readonly computed?: Map<string, Type>;
}

/** An expression that may come out as free text. */
export interface WordsNote {
  readonly pointer: string;
  readonly within: readonly [number, number];
  readonly compiled: CompiledSource;
}

/** An expression and where it stands: from `offset` on in the text at the pointer. */
export interface SeenExpression {
  readonly source: string;
  readonly pointer: string;
  readonly offset: number;
}

/** A place may be told more than once; the last time counts. */
export interface CheckObserver {
  readonly onStep?: (pointer: string, scope: Scope) => void;
  readonly onExpression?: (site: ExpressionSite, seen: SeenExpression) => void;
}

/** Checks the steps inside a step; what can be read after them. */
export type CheckBlock = (checking: CheckRun, steps: readonly PlacedStep[], scope: Scope) => StepsInScope;

export type CheckStep = (checking: CheckRun, step: PlacedStep, around: Scope) => StepsInScope;
