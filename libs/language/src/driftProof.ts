/**
 * Proves that a workflow can go on with tools that have changed: it is checked twice, with the definitions of before and
 * with those of now, and what was proved before must be proved again.
 *
 *   arguments   proved again, or the new schema takes all that the old one took, of those that the call gives
 *   defaults    Baton fills in the defaults of required arguments: they must be the same
 *   answers     of what the new schema says less about than the old one, no expression may read anything
 *   findings    none that was not there before
 *   outputs     of the workflow: as sure as before
 */
import { excerpt, quoted, schemaOfType, segmentsOf } from '@baton/expressions';
import { isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { type CheckedWorkflow, checkDocument } from './check/check.ts';
import type { CheckOptions } from './check/options.ts';
import type { Workflow } from './document/workflow.ts';
import { admits } from './fit/admits.ts';
import { fitType } from './fit/fitType.ts';
import { propertiesOf, requiredOf } from './fit/schemaParts.ts';
import { sureOutput } from './fit/sureOutput.ts';
import { type FitVerdict, isWeaker } from './fit/verdict.ts';
import type { Problem } from './problem.ts';
import { reading } from './readDocument.ts';
import { runToEnd } from './runToEnd.ts';
import { defaultsOf, withoutGivenArguments } from './servers/argumentDefaults.ts';
import type { CallNote } from './servers/callReport.ts';
import type { OfferedTool, ServerOffer, ServerOffers } from './servers/offer.ts';

/** A tool that has changed, as it was when the workflow was checked, and as it is now. */
export interface ChangedTool {
  readonly before: OfferedTool;
  readonly now: OfferedTool;
}

/** Why a workflow cannot go on with the tools of now. */
export interface Unproven {
  /** JSON pointer into the document; empty: the whole file. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
}

/** By `server/tool`. */
export type ChangedTools = ReadonlyMap<string, ChangedTool>;

type Doubt = Pick<Problem, 'pointer' | 'within' | 'message'>;

/** `options.servers`: what the servers offer now. Empty: it is proven. */
export function proveDrift(text: string, changed: ChangedTools, options: CheckOptions): readonly Unproven[] {
  const { document, workflow, problems } = runToEnd(reading(text));
  const [first] = problems;
  if (workflow === undefined) {
    const message = `This release of Baton does not read the file any more. ${first?.message ?? ''}`.trim();
    return [{ path: '', line: 1, message }];
  }
  const checkWith = (toolOf: (one: ChangedTool) => OfferedTool): CheckedWorkflow =>
    checkDocument({ workflow }, { ...options, servers: withTools(options.servers, changed, toolOf) });
  const was = checkWith(({ before }) => before);
  const is = checkWith(({ before, now }) => ({
    ...now,
    outputSchema: sureOutput(before.outputSchema, now.outputSchema),
  }));
  const doubts = [
    ...[...changed].flatMap(([tool, one]) => defaultDoubts(tool, one)),
    ...newProblems(was.problems, is.problems),
    ...callDoubts(workflow, was.calls, is.calls, changed),
    ...referenceDoubts(was, is),
    ...outputDoubts(was, is),
  ];
  return doubts.map(({ message, ...place }) => ({
    path: place.pointer,
    line: document.placeOf(place).line,
    message,
  }));
}

function withTools(
  servers: ServerOffers = new Map(),
  changed: ChangedTools,
  toolOf: (one: ChangedTool) => OfferedTool,
): ServerOffers {
  return new Map(
    [...servers].map(([server, offer]): [string, ServerOffer] => {
      if (offer.kind !== 'known') return [server, offer];
      const tools = offer.tools.map((tool) => {
        const one = changed.get(`${server}/${tool.name}`);
        return one === undefined ? tool : { ...toolOf(one), outputSchema: toolOf(one).outputSchema };
      });
      return [server, { ...offer, tools }];
    }),
  );
}

/** A changed default changes what a call does, though each call fits as it did. */
function defaultDoubts(tool: string, { before, now }: ChangedTool): readonly Doubt[] {
  const [filled, old, fresh] = [defaultsOf(now.inputSchema), argumentsOf(before), argumentsOf(now)];
  const filledBefore = defaultsOf(before.inputSchema) ?? {};
  return Object.keys(fresh).flatMap((name): Doubt[] => {
    const isFilledAnew = filled !== undefined && Object.hasOwn(filled, name) && !Object.hasOwn(filledBefore, name);
    const isKnown = Object.hasOwn(old, name);
    const [from, to] = [defaultIn(old[name]), defaultIn(fresh[name])];
    if (!isFilledAnew && (!isKnown || JSON.stringify(from) === JSON.stringify(to))) return [];
    const value = excerpt(JSON.stringify(to ?? null), 80);
    const what = isFilledAnew
      ? `is needed now, and Baton would send its default ${value}`
      : `has another default: it was ${excerpt(JSON.stringify(from ?? null), 80)}, and is ${value}`;
    return [{ pointer: '', message: `The argument ${quoted(name)} of ${quoted(tool)} ${what}.` }];
  });
}

const argumentsOf = ({ inputSchema }: OfferedTool): JsonObject =>
  isObject(inputSchema) ? (propertiesOf(inputSchema) ?? {}) : {};

const defaultIn = (schema: Json | undefined): Json | undefined => (isObject(schema) ? schema['default'] : undefined);

function newProblems(was: readonly Problem[], is: readonly Problem[]): readonly Doubt[] {
  const keyOf = ({ code, pointer, within = [0, 0] }: Problem): string => `${code} ${pointer} ${within.join('-')}`;
  const known = new Set(was.map(keyOf));
  return is.filter((one) => !known.has(keyOf(one)));
}

function callDoubts(
  workflow: Workflow,
  was: readonly CallNote[],
  is: readonly CallNote[],
  changed: ChangedTools,
): readonly Doubt[] {
  return is.flatMap((call, index): Doubt[] => {
    const { target, pointer } = call;
    const one = changed.get(target);
    const before = was[index];
    if (call.verb !== 'tool' || one === undefined || call.arguments === 'contradiction') return [];
    const isSure = call.exists === 'proved' && before?.pointer === pointer;
    if (isSure && (call.arguments === 'proved' || takesAsBefore(workflow, call, one))) return [];
    const message = `Nothing proves that the arguments of ${quoted(target)} fit what it takes now.`;
    return [{ pointer, message }];
  });
}

/** Whether the tool takes every arguments of this call that it took before. */
function takesAsBefore(workflow: Workflow, { pointer, effect }: CallNote, { before, now }: ChangedTool): boolean {
  const support = effect?.idempotency;
  const wide = withoutGivenArguments(now.inputSchema, typeof support === 'object' ? support.argument : undefined);
  return admits(wide, asGiven(before.inputSchema, givenAt(workflow, pointer)));
}

/** The arguments of the call whose tool is named at the pointer, as they are written. */
function givenAt(workflow: Workflow, pointer: string): Json | undefined {
  const step = segmentsOf(pointer)
    .slice(0, -1)
    .reduce<Json | undefined>(
      (value, segment) => {
        if (Array.isArray(value)) return (value as readonly Json[])[Number(segment)];
        return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
      },
      workflow as unknown as Json,
    );
  return isObject(step) ? (step['with'] ?? {}) : undefined;
}

const isComputed = (value: Json): boolean => JSON.stringify(value).includes('${{');

/** The schema of the arguments that this call can have had: of those that it gives, and of no others. */
function asGiven(schema: JsonSchema, given: Json | undefined): JsonSchema {
  if (!isObject(schema) || !isObject(given)) return schema;
  const [listed, others] = [propertiesOf(schema) ?? {}, schema['additionalProperties'] ?? true];
  const properties = Object.fromEntries(
    Object.entries(given).map(([name, value]): [string, Json] => {
      const own = Object.hasOwn(listed, name) ? (listed[name] ?? true) : others;
      return [name, isComputed(value) ? own : { ...(isObject(own) ? own : {}), const: value }];
    }),
  );
  const written = Object.entries(given).flatMap(([name, value]) => (isComputed(value) ? [] : [name]));
  const required = [...new Set([...requiredOf(schema), ...written])].filter((name) => Object.hasOwn(given, name));
  return { ...schema, type: 'object', properties, required, additionalProperties: false };
}

function referenceDoubts(was: CheckedWorkflow, is: CheckedWorkflow): readonly Doubt[] {
  return is.references.flatMap(({ verdict, to, pointer, within }, index): Doubt[] => {
    const before = was.references[index];
    if (before?.pointer === pointer && !isWeaker(verdict, before.verdict)) return [];
    return [{ pointer, within, message: `What is read of ${quoted(to)} is not sure any more.` }];
  });
}

function outputDoubts(was: CheckedWorkflow, is: CheckedWorkflow): readonly Doubt[] {
  const root = schemaOfType(was.outputs);
  const verdictOf = ({ outputs }: CheckedWorkflow): FitVerdict =>
    fitType({ root, budget: { left: schemasMax, compiled: compiledMax } }, outputs, root);
  if (!isWeaker(verdictOf(is), verdictOf(was))) return [];
  return [{ pointer: '/outputs', message: 'The outputs of the workflow are not sure to be what they were.' }];
}

const schemasMax = 2_000;
const compiledMax = 24;
