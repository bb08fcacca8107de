/** Begins a check: the state that all of it shares. */
import { limits } from '@baton/expressions';

import type { Workflow } from '../document/workflow.ts';
import type { ProblemReporter } from '../problem.ts';
import { existingFor } from '../servers/existingFor.ts';
import type { CheckObserver, CheckRun } from './checkRun.ts';
import type { CheckOptions } from './options.ts';
import { indexSteps } from './stepIndex.ts';

/** The subject of a check: a workflow, or the valid parts of one. */
export interface CheckSubject {
  readonly workflow: Workflow;
  /** As in `Checking`. */
  readonly opaque?: ReadonlySet<string>;
  readonly untyped?: ReadonlySet<string>;
  readonly observe?: CheckObserver;
}

export function checkRunOf(subject: CheckSubject, options: CheckOptions, report: ProblemReporter): CheckRun {
  const { workflow, opaque = new Set(), untyped = new Set(), observe } = subject;
  const index = indexSteps(workflow);
  const { workflows, drift, answers, nowMs, storedState } = options;
  return {
    report,
    observe,
    index,
    opaque,
    untyped,
    workflow: workflow.workflow,
    state: workflow.state,
    storedState,
    failureCodes: options.failureCodes && new Set([...options.failureCodes, ...codesGiven(index.all)]),
    ...existingFor(workflow.workflow, options),
    workflows,
    toolSecrets: options.toolSecrets,
    hookSecrets: new Set([...(options.hookSecrets ?? []), ...hookSecretsOf(workflow)]),
    drift,
    answers,
    nowMs,
    assumed: new Set(),
    nullTested: new Set(),
    totals: { patterns: 0, parts: 0 },
    constants: { left: limits.document.constantsCost },
    mayLookAt: (schema) => {
      options.onSchema?.(schema);
      return options.skippedSchemas?.has(schema) !== true;
    },
    freeTexts: [],
    destructive: new Set(),
    writes: new Set(),
    stateWrites: new Set(),
    calls: [],
    references: [],
  };
}

/** A part that failed its schema may have any shape. */
const hookSecretsOf = ({ on }: Workflow): readonly string[] =>
  Array.isArray(on) ? on.flatMap((trigger) => ('webhook' in trigger ? [trigger.secret] : [])) : [];

const codesGiven = (all: CheckRun['index']['all']): string[] =>
  all.flatMap(({ step }) => ('fail' in step && step.code !== undefined ? [step.code] : []));
