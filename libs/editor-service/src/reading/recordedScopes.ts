/** Records, while a draft is checked, what an expression can read at each place. */
import type { InferenceScope } from '@baton/expressions';
import {
  type CheckedWorkflow,
  checkDocument,
  type ExpressionSite,
  type SeenExpression,
  namesAt,
  type CheckOptions,
  type CheckScope,
  type StepsInScope,
  type Draft,
} from '@baton/language';

/** The names that an expression can read at one place. */
export interface ReadableScope extends Pick<InferenceScope, 'names' | 'unlisted'> {
  readonly steps: StepsInScope | undefined;
  /** The server that gets the value: expressions may name secrets. */
  readonly server?: string;
}

export interface CheckedExpression {
  readonly site: ExpressionSite;
  readonly seen: SeenExpression;
}

/** The scopes that a check recorded, by place. */
export interface RecordedScopes {
  readonly checked: CheckedWorkflow;
  /** By the pointer of the text. */
  readonly expressions: ReadonlyMap<string, readonly CheckedExpression[]>;
  /** By the pointer of the step: what it can read from outside. */
  readonly steps: ReadonlyMap<string, CheckScope>;
}

/** Checks the draft, and records the scopes. */
export function checkAndRecord(draft: Draft, options: CheckOptions): RecordedScopes {
  const expressions = new Map<string, CheckedExpression[]>();
  const steps = new Map<string, CheckScope>();
  const observe = {
    onStep: (pointer: string, scope: CheckScope) => steps.set(pointer, scope),
    onExpression: (site: ExpressionSite, seen: SeenExpression): void => {
      const others = (expressions.get(seen.pointer) ?? []).filter((one) => one.seen.offset !== seen.offset);
      expressions.set(seen.pointer, [...others, { site, seen }]);
    },
  };
  const checked = checkDocument({ ...draft, observe }, options);
  return { checked, expressions, steps };
}

/** The scope of a checked expression; else that of the enclosing step. Pointers refer to the draft. */
export function readableAt({ expressions, steps }: RecordedScopes, pointer: string): ReadableScope | undefined {
  const site = expressions.get(pointer)?.[0]?.site;
  if (site !== undefined) return readableAtSite(site);
  let at = pointer;
  while (at !== '' && !steps.has(at)) at = at.slice(0, at.lastIndexOf('/'));
  const scope = steps.get(at);
  return scope && readableAtSite({ scope });
}

function readableAtSite(site: Pick<ExpressionSite, 'scope' | 'secretsFor'>): ReadableScope {
  const { secretsFor } = site;
  return {
    ...namesAt(site),
    steps: site.scope.steps,
    ...(secretsFor === undefined ? {} : { server: secretsFor }),
  };
}
