/** The state of one check, and the observer of what it finds. */
import type { CompiledSource, Type } from '@baton/expressions';

import type { PlacedStep } from '../document/inner.ts';
import type { Workflow } from '../document/workflow.ts';
import type { ProblemReporter } from '../problem.ts';
import type { CallNote, ReferenceNote } from '../servers/callReport.ts';
import type { ServerOffers } from '../servers/offer.ts';
import type { CheckOptions } from './options.ts';
import type { CheckScope, StepsInScope } from './scope.ts';
import type { StepIndex } from './stepIndex.ts';

/** Shared by the whole check. */
export interface CheckRun {
  readonly report: ProblemReporter;
  readonly observe: CheckObserver | undefined;
  readonly index: StepIndex;
  /** Pointers of steps about which nothing is known. */
  readonly opaque: ReadonlySet<string>;
  /** Pointers of steps whose results have unknown types. */
  readonly untyped: ReadonlySet<string>;
  readonly workflow: string;
  /** As the workflow declares it. */
  readonly state: Workflow['state'];
  readonly storedState: CheckOptions['storedState'];
  /** Codes that `match` may name; undefined: any. */
  readonly failureCodes: ReadonlySet<string> | undefined;
  readonly servers: ServerOffers | undefined;
  readonly workflows: CheckOptions['workflows'];
  readonly secrets: CheckOptions['secrets'];
  /** Secrets that sign webhooks: of this file, and all other known ones. */
  readonly hookSecrets: ReadonlySet<string>;
  readonly toolSecrets: CheckOptions['toolSecrets'];
  readonly effects: CheckOptions['effects'];
  readonly declarations: CheckOptions['declarations'];
  readonly drift: CheckOptions['drift'];
  readonly answers: CheckOptions['answers'];
  readonly nowMs: CheckOptions['nowMs'];
  /** Servers that do not answer, and tools with unusable schemas, that were already reported. */
  readonly assumed: Set<string>;
  /** Accesses that an expression so far compares with null. */
  readonly nullTested: Set<string>;
  /** Totals of all expressions so far: instructions of their regular expressions, and parts. */
  readonly totals: { patterns: number; parts: number };
  /** Remaining cost for evaluating expressions that read nothing. */
  readonly constants: { left: number };
  /** False if the schema of that name must be skipped. */
  readonly mayLookAt: (schema: string) => boolean;
  /** Expressions that may result in free text. */
  readonly freeTexts: FreeText[];
  /** Pointers of calls of tools that may destroy something. */
  readonly destructive: Set<string>;
  /** Pointers of calls that are known to write. */
  readonly writes: Set<string>;
  /** Pointers of steps that write state. */
  readonly stateWrites: Set<string>;
  readonly calls: CallNote[];
  readonly references: ReferenceNote[];
}

export interface ExpressionSite {
  readonly checking: CheckRun;
  readonly scope: CheckScope;
  /** Secrets may be inserted here: this server gets them. */
  readonly secretsFor?: string;
  /** Accesses that enclosing conditions tested with `has(…)`. */
  readonly guarded?: ReadonlySet<string>;
  /** Collects the types of computed texts, by pointer. */
  readonly computed?: Map<string, Type>;
}

/** An expression that may result in free text. */
export interface FreeText {
  readonly pointer: string;
  readonly within: readonly [number, number];
  readonly compiled: CompiledSource;
}

/** An expression and its place: from `offset` on in the text at the pointer. */
export interface SeenExpression {
  readonly source: string;
  readonly pointer: string;
  readonly offset: number;
}

/** A place may be reported more than once; the last report counts. */
export interface CheckObserver {
  readonly onStep?: (pointer: string, scope: CheckScope) => void;
  readonly onExpression?: (site: ExpressionSite, seen: SeenExpression) => void;
}

/** Checks the steps inside a step, and returns what can be read after them. */
export type CheckBlock = (checking: CheckRun, steps: readonly PlacedStep[], scope: CheckScope) => StepsInScope;

export type CheckStep = (checking: CheckRun, step: PlacedStep, around: CheckScope) => StepsInScope;
