/**
 * The work of a checking thread: reads a workflow and compares it with what servers offer, learns one from a run, or
 * tries one. Texts, schemas and calls are untrusted.
 */
import { failureCodes } from '@baton/engine';
import {
  type CheckOptions,
  type CheckReport,
  type DecidedEffect,
  type Finding,
  type SecretBinding,
  type ServerOffer,
  type ServerOffers,
  type WorkflowTargets,
  type WorkflowSignature,
  checkWorkflow,
  childrenOf,
  compile,
  compileTriggers,
  outlineOf,
  parseWorkflow,
  signatureOf,
} from '@baton/language';
import { type Learned, type LearnOptions, type SeenRun, learn } from '@baton/learn';
import { defined } from '@baton/primitives';
import { declarationsOf } from '@baton/protocol';
import type { HookSecret } from '@baton/runner';
import { type Definition, type Pins, planOf, toolNameOf } from '@baton/store';

import { type Trial, type TrialOptions, simulateRun } from '../../trial/trial.ts';
import type { ServerAnswer } from '../catalogueCache.ts';
import { type Corrections, correctionsOf } from '../corrections.ts';
import { driftSince, effectOf, pinsOf } from '../pins.ts';
import { type ScheduleParts, schedulePartsOf } from '../placedTriggers.ts';
import { type SeenAnswer, type ToolsProof, proveTools } from './proveTools.ts';

/** The context to check a workflow against. */
export interface CheckContext {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** The answer of each server that the workflow names. */
  readonly asked: ReadonlyMap<string, ServerAnswer>;
  /** Names of configured servers that the workflow does not name. */
  readonly unasked: readonly string[];
  /** The pins of the previous version. */
  readonly before: Pins;
  /** Texts of deployed workflows, by `id` and `id@version`. Absent: unknown. */
  readonly deployed?: ReadonlyMap<string, string>;
  /** All stored secrets by name, with their bindings. Absent: unknown. */
  readonly secrets?: ReadonlyMap<string, SecretBinding>;
  /** The secrets that sign webhooks. */
  readonly hookSecrets?: ReadonlySet<string>;
  readonly toolSecrets?: ReadonlySet<string>;
  readonly storedState?: NonNullable<CheckOptions['storedState']>;
}

export interface CheckAnswer {
  readonly findings: readonly Finding[];
  /** For each call its effect and what was proved; absent if the text cannot be parsed. */
  readonly report: CheckReport | undefined;
  /** Present if no finding is an error. */
  readonly workflow: DeployableParts | undefined;
}

/** The parts of a checked workflow that deploying stores. */
export interface DeployableParts {
  readonly id: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The previous pins, for a server that did not answer. */
  readonly pins: Pins;
  /** Ids of the workflows that it starts. */
  readonly children: readonly string[];
  /** Patterns of the workflows whose ends start it. */
  readonly followed: readonly string[];
  /** The secrets that sign its webhooks, with their schemes. */
  readonly hooks: readonly HookSecret[];
  readonly schedules: readonly ScheduleParts[];
  /** Its tool name for MCP clients; undefined if it is not offered as a tool. */
  readonly tool: string | undefined;
}

export type CheckTask =
  | { readonly kind: 'outline'; readonly text: string }
  /** Without `known`, checks without servers. `spared`: schemas to skip because they take too long. */
  | {
      readonly kind: 'check';
      readonly text: string;
      readonly known?: CheckContext;
      readonly spared: readonly string[];
    }
  /** `known.before`: the pins of the workflow. */
  | {
      readonly kind: 'prove';
      readonly text: string;
      readonly known: CheckContext;
      readonly answers: readonly SeenAnswer[];
    }
  | { readonly kind: 'correct'; readonly text: string; readonly known?: CheckContext }
  | { readonly kind: 'learn'; readonly run: SeenRun; readonly options: Omit<LearnOptions, 'onCall'> }
  /** The definition was checked. */
  | { readonly kind: 'try'; readonly definition: Definition; readonly options: TrialOptions };

export interface CheckTaskAnswers {
  readonly outline: WorkflowTargets | undefined;
  readonly check: CheckAnswer;
  readonly prove: ToolsProof;
  readonly correct: Corrections;
  /** Undefined if no call of the run succeeded. */
  readonly learn: Learned | undefined;
  readonly try: Trial;
}

export type TaskOf<Kind extends CheckTask['kind']> = Extract<CheckTask, { kind: Kind }>;

/** `onPart` is called with each schema, and each call of a run, before it is examined. */
export async function carryOut(
  task: CheckTask,
  onPart: (named: string) => void,
): Promise<CheckTaskAnswers[CheckTask['kind']]> {
  switch (task.kind) {
    case 'outline':
      return outlineOf(task.text);
    case 'check':
      return check(task, onPart);
    case 'prove':
      return prove(task, onPart);
    case 'correct':
      return correctionsOf(task.text, optionsOf(task.known, onPart));
    case 'learn':
      return learn(task.run, { ...task.options, onCall: onPart });
    case 'try':
      return simulateRun(await planOf(task.definition), task.options);
  }
}

function check({ text, known, spared }: TaskOf<'check'>, onSchema: (named: string) => void): CheckAnswer {
  const options = optionsOf(known, onSchema);
  const { workflow, findings, report } = checkWorkflow(text, { ...options, skippedSchemas: new Set(spared) });
  if (workflow === undefined) return { findings, report, workflow };
  // Every stored workflow can be compiled, here and on every worker.
  compile(workflow);
  const { workflow: id, title, description } = workflow;
  const { declarations } = options;
  const pins =
    known === undefined || declarations === undefined
      ? {}
      : pinsOf(workflow, { answers: known.asked, before: known.before, declarations });
  const children = childrenOf(workflow).map((target) => target.split('@')[0] ?? '');
  const triggers = compileTriggers(workflow);
  const hooks = triggers.flatMap((one) => (one.kind === 'webhook' ? [{ secret: one.secret, scheme: one.scheme }] : []));
  const followed = triggers.flatMap((one) => (one.kind === 'run' ? [one.of] : []));
  const tool = toolNameOf(workflow);
  const schedules = schedulePartsOf(triggers);
  return { findings, report, workflow: { id, title, description, pins, children, followed, hooks, schedules, tool } };
}

function prove({ text, known, answers }: TaskOf<'prove'>, onSchema: (named: string) => void): ToolsProof {
  // Both checks would say of a changed tool that it has changed.
  const { drift: _drift, ...options } = optionsOf(known, onSchema);
  return proveTools({ text, pins: known.before, answers, asked: known.asked, options });
}

const optionsOf = (known: CheckContext | undefined, onSchema: (named: string) => void): CheckOptions => ({
  failureCodes: Object.keys(failureCodes),
  onSchema,
  ...(known === undefined ? {} : serverOptions(known, onSchema)),
});

function serverOptions(known: CheckContext, onSchema: (named: string) => void): CheckOptions {
  const { nowMs, asked, before, deployed, secrets, hookSecrets, toolSecrets, storedState } = known;
  const servers = offersIn(known);
  const effects = (server: string, tool: string): DecidedEffect | undefined => effectIn(asked, server, tool);
  return {
    nowMs,
    servers,
    effects,
    declarations: declarationsOf({ servers, effects, policyOf: (server) => asked.get(server)?.policy }),
    drift: driftSince(before, asked),
    ...(deployed && { workflows: signaturesIn(deployed, effects, onSchema) }),
    ...(secrets && { secrets }),
    ...(hookSecrets && { hookSecrets }),
    ...(toolSecrets && { toolSecrets }),
    ...(storedState && { storedState }),
  };
}

const offersIn = ({ asked, unasked }: CheckContext): ServerOffers =>
  new Map<string, ServerOffer>([
    ...unasked.map((name): [string, ServerOffer] => [name, { kind: 'unasked' }]),
    ...[...asked].map(([name, { offer }]): [string, ServerOffer] => [name, offer]),
  ]);

function effectIn(asked: ReadonlyMap<string, ServerAnswer>, server: string, name: string): DecidedEffect | undefined {
  const answer = asked.get(server);
  const tool = answer?.tools?.find((one) => one.name === name);
  return answer && effectOf(name, tool, answer.policy);
}

function signaturesIn(
  deployed: ReadonlyMap<string, string>,
  effects: CheckOptions['effects'],
  onSchema: (named: string) => void,
): ReadonlyMap<string, WorkflowSignature> {
  const signatures = new Map<string, WorkflowSignature>();
  for (const [target, text] of deployed) {
    onSchema(target);
    const { workflow } = parseWorkflow(text);
    if (workflow !== undefined) signatures.set(target, signatureOf(workflow, defined({ effects })));
  }
  return signatures;
}
