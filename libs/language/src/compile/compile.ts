/** Compiles a checked workflow into the tree that the engine executes. */
import { type Edition, editionNow, compileMapTemplate, compileTemplate, schemaOf } from '@baton/expressions';
import { defined } from '@baton/primitives';

import { placed } from '../document/inner.ts';
import type { StepList } from '../document/step.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Block, Concurrency, DecidedEffect, Plan, ToolSchemas } from '../plan.ts';
import { compileBlock, compileStep } from './block.ts';
import type { Compilation } from './compilation.ts';
import { defaults } from './defaults.ts';
import { ensureSteps } from './ensure.ts';
import { budgetOf, ms } from './policies.ts';

export interface CompileOptions {
  /** The effect of a tool by the server configuration or the tool's annotations, for steps without `effect`. */
  readonly effects?: (server: string, tool: string) => DecidedEffect | undefined;
  /** The edition of the language; absent: the current one. */
  readonly edition?: Edition;
  /** The digest of the tool's contract at the time of the check. */
  readonly contracts?: (server: string, tool: string) => string | undefined;
  /** What is known of the tool itself. */
  readonly definitions?: (server: string, tool: string) => ToolSchemas | undefined;
}

/** For a workflow in which `check` finds no error; throws if an expression cannot be parsed. */
export function compile(workflow: Workflow, options: CompileOptions = {}): Plan {
  const { effects, contracts, definitions, edition = editionNow } = options;
  const compiling: Compilation = {
    edition,
    defaults: workflow.defaults ?? {},
    effectOf: (server, tool) => {
      // A pin holds more than the effect; a plan keeps only these.
      const { effect, from, idempotency }: DecidedEffect = effects?.(server, tool) ?? defaults.effect;
      return { effect, from, ...defined({ idempotency }) };
    },
    contractOf: (server, tool) => contracts?.(server, tool),
    schemasOf: (server, tool) => {
      const { inputSchema, outputSchema } = definitions?.(server, tool) ?? {};
      if (inputSchema === undefined && outputSchema === undefined) return undefined;
      return defined({ inputSchema, outputSchema });
    },
  };
  const block = (steps: StepList, pointer: string): Block => compileBlock(compiling, placed(steps, pointer), pointer);
  const { title, description, timeout, budget, concurrency, ensure, onFailure, finally: last, outputs } = workflow;
  const ensured = ensureSteps(compiling, ensure ?? [], '/ensure', (one, key) => compileStep(compiling, one, key));
  const main = block(workflow.steps, '/steps');
  return {
    workflow: workflow.workflow,
    ...defined({ title, description }),
    inputs: schemaOf(workflow.inputs ?? {}),
    ...(timeout === undefined ? {} : { timeoutMs: ms(timeout) }),
    ...(budget === undefined ? {} : { budget: budgetOf(budget) }),
    ...(concurrency === undefined ? {} : { concurrency: concurrencyOf(concurrency) }),
    steps: { ...main, steps: [...main.steps, ...ensured] },
    ...(onFailure === undefined ? {} : { onFailure: block(onFailure, '/onFailure') }),
    ...(last === undefined ? {} : { finally: block(last, '/finally') }),
    ...(outputs === undefined ? {} : { outputs: compileMapTemplate(outputs, '/outputs', edition) }),
  };
}

function concurrencyOf({ key, limit, whenFull }: NonNullable<Workflow['concurrency']>): Concurrency {
  return {
    key: compileTemplate(key ?? '', '/concurrency/key'),
    limit: limit ?? defaults.concurrency.limit,
    whenFull: whenFull ?? defaults.concurrency.whenFull,
  };
}
