/** Compiles a checked workflow into the tree that the engine executes. */
import { type Edition, editionNow, compileMapTemplate, compileTemplate, schemaOf } from '@baton/expressions';
import { defined } from '@baton/primitives';

import { placed } from '../document/inner.ts';
import type { StepList } from '../document/step.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Block, CheckPlan, Concurrency, DecidedEffect, Plan, ToolPin, ToolSchemas } from '../plan.ts';
import type { DeclaredCall, DeclaredCheck, ToolDeclaration } from '../servers/declaration.ts';
import { compileBlock, compileStep } from './block.ts';
import type { Compilation, InnerSteps } from './compilation.ts';
import { declaredCall, declaredCheck } from './declared.ts';
import { defaults } from './defaults.ts';
import { ensureSteps } from './ensure.ts';
import { budgetOf, ms } from './policies.ts';
import { statePlan } from './state.ts';

export interface CompileOptions {
  /** The effect of a tool by the server configuration or the tool's annotations, for steps without `effect`. */
  readonly effects?: (server: string, tool: string) => DecidedEffect | undefined;
  /** The edition of the language; absent: the current one. */
  readonly edition?: Edition;
  /** The tool at the time of the check. */
  readonly pins?: (server: string, tool: string) => ToolPin | undefined;
  /** What the server configuration declares for the tool's calls, and can be used. */
  readonly declarations?: (server: string, tool: string) => ToolDeclaration | undefined;
  /** What is known of the tool itself. */
  readonly definitions?: (server: string, tool: string) => ToolSchemas | undefined;
}

/** For a workflow in which `check` finds no error; throws if an expression cannot be parsed. */
export function compile(workflow: Workflow, options: CompileOptions = {}): Plan {
  const compiling = compilationOf(options, workflow.defaults);
  const { edition } = compiling;
  const block = (steps: StepList, pointer: string): Block => compileBlock(compiling, placed(steps, pointer), pointer);
  const {
    title,
    description,
    state,
    timeout,
    budget,
    concurrency,
    ensure,
    onFailure,
    finally: last,
    outputs,
  } = workflow;
  const ensured = ensureSteps(compiling, ensure ?? [], '/ensure', (one, key) => compileStep(compiling, one, key));
  const main = block(workflow.steps, '/steps');
  return {
    workflow: workflow.workflow,
    ...defined({ title, description }),
    inputs: schemaOf(workflow.inputs ?? {}),
    ...(state === undefined ? {} : { state: statePlan(state) }),
    ...(timeout === undefined ? {} : { timeoutMs: ms(timeout) }),
    ...(budget === undefined ? {} : { budget: budgetOf(budget) }),
    ...(concurrency === undefined ? {} : { concurrency: concurrencyOf(concurrency) }),
    steps: { ...main, steps: [...main.steps, ...ensured] },
    ...(onFailure === undefined ? {} : { onFailure: block(onFailure, '/onFailure') }),
    ...(last === undefined ? {} : { finally: block(last, '/finally') }),
    ...(outputs === undefined ? {} : { outputs: compileMapTemplate(outputs, '/outputs', edition) }),
  };
}

function compilationOf(options: CompileOptions, given: Workflow['defaults'] = {}): Compilation {
  const { effects, pins, declarations, definitions, edition = editionNow } = options;
  return {
    edition,
    defaults: given,
    effectOf: (server, tool) => {
      // A pin holds more than the effect; a plan keeps only these.
      const { effect, from, idempotency }: DecidedEffect = effects?.(server, tool) ?? defaults.effect;
      return { effect, from, ...defined({ idempotency }) };
    },
    pinOf: (server, tool) => pins?.(server, tool),
    declarationOf: (server, tool) => declarations?.(server, tool),
    schemasOf: (server, tool) => {
      const { inputSchema, outputSchema } = definitions?.(server, tool) ?? {};
      if (inputSchema === undefined && outputSchema === undefined) return undefined;
      return defined({ inputSchema, outputSchema });
    },
  };
}

/** The check of a call that no workflow makes. Throws if an expression cannot be parsed. */
export function compileDeclaredCheck(server: string, check: DeclaredCheck, options: CompileOptions = {}): CheckPlan {
  const compiling = compilationOf(options);
  const step: InnerSteps['step'] = (one, key) => compileStep(compiling, one, key);
  return declaredCheck(compiling, server, check, '', { step });
}

/** The same for its undo. */
export function compileDeclaredUndo(server: string, undo: DeclaredCall, options: CompileOptions = {}): Block {
  const compiling = compilationOf(options);
  return declaredCall(server, undo, '', { step: (one, key) => compileStep(compiling, one, key) });
}

function concurrencyOf({ key, limit, whenFull }: NonNullable<Workflow['concurrency']>): Concurrency {
  return {
    key: compileTemplate(key ?? '', '/concurrency/key'),
    limit: limit ?? defaults.concurrency.limit,
    whenFull: whenFull ?? defaults.concurrency.whenFull,
  };
}
