/**
 * What is done beside the event loop: reading a workflow, and holding it against what servers say. Text and schemas are
 * untrusted: their author may mean harm.
 */
import { failureCodes } from '@baton/engine';
import type {
  CheckReport,
  DecidedEffect,
  Finding,
  SecretBinding,
  ServerOffer,
  WorkflowTargets,
  WorkflowSignature,
} from '@baton/language';
import {
  checkWorkflow,
  childrenOf,
  compile,
  compileTriggers,
  outlineOf,
  parseWorkflow,
  signatureOf,
} from '@baton/language';
import type { Pins } from '@baton/store';
import { toolNameOf } from '@baton/store';

import type { HookSecret } from '../../hooks/hookSecrets.ts';
import type { ServerAnswer } from '../catalogueCache.ts';
import { driftSince, effectOf, pinsOf } from '../pins.ts';

/** What a workflow is held against. */
export interface CheckContext {
  /** What each server that it names said. */
  readonly asked: ReadonlyMap<string, ServerAnswer>;
  /** Other servers that are configured. */
  readonly unasked: readonly string[];
  /** What the version before relied on. */
  readonly before: Pins;
  /** Texts of deployed workflows, by `id` and `id@version`; absent: it is not known what is deployed. */
  readonly deployed?: ReadonlyMap<string, string>;
  /** All that are stored, by name, with what they are bound to; absent: not known. */
  readonly secrets?: ReadonlyMap<string, SecretBinding>;
  /** Of them, those with which webhooks are signed. */
  readonly hookSecrets?: ReadonlySet<string>;
}

export interface CheckAnswer {
  readonly findings: readonly Finding[];
  /** Effects, and what could be proved, of each call; absent where the form is broken. */
  readonly report: CheckReport | undefined;
  /** Present where nothing is an error. */
  readonly workflow: Headline | undefined;
}

/** What lists show of a workflow, what it relies on of tools, and which other workflows it starts. */
export interface Headline {
  readonly id: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Of a server that did not answer, what was relied on before. */
  readonly pins: Pins;
  /** Their ids. */
  readonly children: readonly string[];
  /** Whether it has triggers that start runs by themselves: schedules, webhooks, resources, devices. */
  readonly startsItself: boolean;
  /** With which secrets its webhooks are signed, and how. */
  readonly hooks: readonly HookSecret[];
  /** What MCP clients call it; undefined: it is not offered as a tool. */
  readonly tool: string | undefined;
}

export type CheckTask =
  | { readonly kind: 'outline'; readonly text: string }
  /** Without `known`: what can be said without asking anybody. `spared`: schemas that take too long. */
  | {
      readonly kind: 'check';
      readonly text: string;
      readonly known?: CheckContext;
      readonly spared: readonly string[];
    };

export interface CheckTaskAnswers {
  readonly outline: WorkflowTargets | undefined;
  readonly check: CheckAnswer;
}

export type TaskOf<Kind extends CheckTask['kind']> = Extract<CheckTask, { kind: Kind }>;

/** `onSchema` is called with each schema before it is examined. */
export const carryOut = (task: CheckTask, onSchema: (named: string) => void): CheckTaskAnswers[CheckTask['kind']] =>
  task.kind === 'outline' ? outlineOf(task.text) : check(task, onSchema);

function check({ text, known, spared }: TaskOf<'check'>, onSchema: (named: string) => void): CheckAnswer {
  const { workflow, findings, report } = checkWorkflow(text, {
    failureCodes: Object.keys(failureCodes),
    onSchema,
    skippedSchemas: new Set(spared),
    ...(known === undefined ? {} : against(known, onSchema)),
  });
  if (workflow === undefined) return { findings, report, workflow };
  // What is stored can be compiled, here and on every worker.
  compile(workflow);
  const { workflow: id, title, description } = workflow;
  const pins = known === undefined ? {} : pinsOf(workflow, known.asked, known.before);
  const children = childrenOf(workflow).map((target) => target.split('@')[0] ?? '');
  const triggers = compileTriggers(workflow);
  const startsItself = triggers.some(({ kind }) => kind !== 'tool');
  const hooks = triggers.flatMap((one) => (one.kind === 'webhook' ? [{ secret: one.secret, scheme: one.scheme }] : []));
  const tool = toolNameOf(workflow);
  return { findings, report, workflow: { id, title, description, pins, children, startsItself, hooks, tool } };
}

function against(
  { asked, unasked, before, deployed, secrets, hookSecrets }: CheckContext,
  onSchema: (named: string) => void,
): NonNullable<Parameters<typeof checkWorkflow>[1]> {
  const servers = new Map<string, ServerOffer>([
    ...unasked.map((name): [string, ServerOffer] => [name, { kind: 'unasked' }]),
    ...[...asked].map(([name, { offer }]): [string, ServerOffer] => [name, offer]),
  ]);
  return {
    servers,
    effects: (server, tool) => effectIn(asked, server, tool),
    drift: driftSince(before, asked),
    ...(deployed && { workflows: signaturesIn(deployed, onSchema) }),
    ...(secrets && { secrets }),
    ...(hookSecrets && { hookSecrets }),
  };
}

function effectIn(asked: ReadonlyMap<string, ServerAnswer>, server: string, name: string): DecidedEffect | undefined {
  const answer = asked.get(server);
  const tool = answer?.tools?.find((one) => one.name === name);
  return answer && effectOf(name, tool, answer.policy);
}

function signaturesIn(
  deployed: ReadonlyMap<string, string>,
  onSchema: (named: string) => void,
): ReadonlyMap<string, WorkflowSignature> {
  const signatures = new Map<string, WorkflowSignature>();
  for (const [target, text] of deployed) {
    onSchema(target);
    const { workflow } = parseWorkflow(text);
    if (workflow !== undefined) signatures.set(target, signatureOf(workflow));
  }
  return signatures;
}
