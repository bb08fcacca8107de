/** Reads a workflow file into a validated document, and reports all mistakes of its form. */
import { quoted, schemaOfType, schemaOf, types } from '@baton/expressions';
import { defined, type JsonObject } from '@baton/primitives';

import { type CheckedWorkflow, checkDocument } from './check/check.ts';
import type { CheckOptions, WorkflowSignature } from './check/options.ts';
import { type StepLocation, indexSteps } from './check/stepIndex.ts';
import { childrenOf, targetsOf } from './check/targets.ts';
import type { Draft } from './document/partialDocument.ts';
import type { Workflow } from './document/workflow.ts';
import type { Finding } from './finding.ts';
import { severityOf } from './findingCodes.ts';
import type { Problem } from './problem.ts';
import { firstLineOf, reading } from './readDocument.ts';
import { runToEnd } from './runToEnd.ts';
import type { CheckReport, CallPlace } from './servers/callReport.ts';
import { strongerEffect } from './servers/shownEffect.ts';
import { splitTarget } from './servers/splitTarget.ts';
import type { Document } from './yaml/document.ts';

export interface ParseOptions {
  /** Named in findings. */
  readonly file?: string;
}

export interface ParsedWorkflow {
  /** Present if its form has no mistake; `check` examines its meaning. */
  readonly workflow?: Workflow;
  readonly findings: readonly Finding[];
  /** The result for each call; absent if only the form was checked. */
  readonly report?: CheckReport;
}

/** YAML 1.2 or JSON. Returns in bounded time for every text, and never throws. */
export const parseWorkflow = (text: string, options: ParseOptions = {}): ParsedWorkflow =>
  runToEnd(parsing(text, options));

/** The same in pieces, so that other work can run in between. */
export function* parsing(text: string, options: ParseOptions = {}): Generator<void, ParsedWorkflow> {
  const { document, workflow, problems } = yield* reading(text);
  const findings = withFile(document.findings(problems), options.file);
  return workflow === undefined ? { findings } : { workflow, findings };
}

/**
 * Parses, and checks everything that can be checked without a server, including the intact parts of a broken file.
 * `workflow` is present if there is no error; there may be warnings.
 */
export function checkWorkflow(text: string, options: ParseOptions & CheckOptions = {}): ParsedWorkflow {
  const { document, workflow, draft, problems } = runToEnd(reading(text));
  const checked = draft && asWritten(draft, checkDocument(draft, options));
  const all = [...problems, ...(checked?.problems ?? [])];
  const findings = withFile(document.findings(all), options.file);
  const report = checked === undefined ? {} : { report: reportOf(document, checked) };
  const isClean = !all.some(({ code }) => severityOf(code) === 'error');
  return workflow === undefined || !isClean ? { findings, ...report } : { workflow, findings, ...report };
}

/** The findings of a draft, at their places in the file, without those about parts that replace broken ones. */
export function asWritten({ opaque, written }: Draft, { problems, calls, references }: CheckedWorkflow): FoundProblems {
  const move = <T extends { readonly pointer: string }>(all: readonly T[]): T[] =>
    all.filter(({ pointer }) => !opaque.has(pointer)).map((one) => ({ ...one, pointer: written(one.pointer) }));
  const moved = move(problems).map((one) => (one.other === undefined ? one : { ...one, other: written(one.other) }));
  return { problems: moved, calls: move(calls), references: move(references) };
}

type FoundProblems = Omit<CheckedWorkflow, 'outputs'>;

function reportOf(document: Document, { calls, references }: FoundProblems): CheckReport {
  const placed = <T extends Parameters<Document['placeOf']>[0]>({
    pointer,
    within,
    ...note
  }: T): Omit<T, 'pointer' | 'within'> & CallPlace => ({
    ...note,
    path: pointer,
    ...document.placeOf(within === undefined ? { pointer } : { pointer, within }),
  });
  return { calls: calls.map(placed), references: references.map(placed) };
}

/** The servers, secrets and workflows that a check of this workflow must know. */
export interface WorkflowTargets {
  readonly workflow: string;
  readonly servers: readonly string[];
  /** Workflows as written: `id`, or `id@version`. */
  readonly children: readonly string[];
}

/** Includes the intact parts of a broken file; undefined if there are none. */
export function outlineOf(text: string): WorkflowTargets | undefined {
  const { draft } = runToEnd(reading(text));
  if (draft === undefined) return undefined;
  const { workflow, opaque } = draft;
  const named = targetsOf(workflow).filter(({ pointer }) => !opaque.has(pointer));
  const servers = new Set(named.map(({ server }) => server));
  return { workflow: workflow.workflow, servers: [...servers], children: childrenOf(workflow) };
}

/** The result of a check that was abandoned; `why` is a sentence. */
export function givenUp(text: string, why: string): readonly Finding[] {
  const problem: Problem = { code: 'too-large', pointer: '', span: [0, 1], message: why };
  return firstLineOf(text).findings([problem]);
}

/** The inputs and outputs of the workflow, for workflows that call it. */
export function signatureOf(workflow: Workflow, options: CheckOptions = {}): WorkflowSignature {
  const { outputs } = checkDocument({ workflow }, options);
  const writing = writingIn(workflow, options.effects);
  return { inputs: schemaOf(workflow.inputs ?? {}), outputs, ...defined({ writing }) };
}

/** A JSON Schema of the outputs, as an object that is closed in fact. */
export interface OutputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonObject>>;
  /** The outputs that every run which succeeds has: one that is none is left out. */
  readonly required: readonly string[];
}

/** No stricter than the known types; `options.servers`: types of the tools' answers. */
export function outputSchemaOf(workflow: Workflow, options: CheckOptions = {}): OutputSchema {
  const { outputs } = signatureOf(workflow, options);
  const fields = outputs.kind === 'map' ? [...outputs.fields] : [];
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, { type }]) => [name, schemaOfType(type)])),
    required: fields.flatMap(([name, { type, isOptional }]) =>
      isOptional === true || types.mayBe(type, ['optional']) ? [] : [name],
    ),
  };
}

const withFile = (findings: readonly Finding[], file: string | undefined): readonly Finding[] =>
  file === undefined ? findings : findings.map((finding) => ({ ...finding, file }));

/** In words; undefined: nothing of it is known to do more. */
const writingIn = (workflow: Workflow, effects: CheckOptions['effects']): string | undefined =>
  indexSteps(workflow)
    .all.map((one) => (isOfEnsure(one) ? undefined : writingOf(one, effects)))
    .find((why) => why !== undefined);

/** Its own check has proven that it reads. */
const isOfEnsure = ({ containers }: StepLocation): boolean =>
  containers.some(({ kind, pointer }) => kind === 'ensure' || pointer === '/ensure');

function writingOf({ step }: StepLocation, effects: CheckOptions['effects']): string | undefined {
  if ('workflow' in step) return `it runs the workflow ${quoted(step.workflow)}`;
  if ('sample' in step) return step.sample.via === 'caller' ? undefined : 'it asks a model, which costs';
  if (!('tool' in step)) return undefined;
  const known = effects?.(...splitTarget(step.tool))?.effect ?? 'read';
  return strongerEffect(step.effect ?? known, known) === 'read' ? undefined : `it calls ${quoted(step.tool)}`;
}
