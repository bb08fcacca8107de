/** The plan as nodes and edges for drawing, each with its place in the text. */
import { excerpt, type Span } from '@baton/expressions';
import {
  type StepLocation,
  defaultToolName,
  indexSteps,
  scheduledTimes,
  type InnerKind,
  casesOf,
  handlersOf,
  type Draft,
  type StepDocument,
  type VerbName,
  verbOf,
  type TriggerDocument,
  isScheduled,
  type DecidedEffect,
} from '@baton/language';
import { defined } from '@baton/primitives';

import { stepReferences } from './names/stepReferences.ts';
import type { TextReading } from './reading/reading.ts';

export interface GraphNode {
  /** JSON pointer, as the steps of a plan have it; it names the node. */
  readonly pointer: string;
  readonly kind: VerbName | 'trigger';
  readonly id?: string;
  readonly title?: string;
  /** What the step calls, asks or waits for, in a few words. */
  readonly label: string;
  /** Of a call of a tool. */
  readonly effect?: DecidedEffect;
  /** The step that holds it; absent at the top. */
  readonly parent?: string;
  /** The list around it. */
  readonly lane: GraphLane;
  /** The whole step, in UTF-16 offsets. */
  readonly span: Span;
  /** The step is broken, so nothing is known about it. */
  readonly isBroken?: true;
}

interface GraphLane {
  /** `root`: `steps`, `onFailure` or `finally` of the file; `on`: the triggers. */
  readonly kind: InnerKind | 'root' | 'on';
  readonly pointer: string;
  /** A case's condition, a handler's codes, the name of a list of the file. */
  readonly label?: string;
}

interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** `next`: after it in the list; `needs`: waits for it; `reads`: an expression reads its result. */
  readonly kind: 'next' | 'needs' | 'reads';
}

export interface WorkflowGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** The graph of the readable parts; empty if there are none. */
export function graph(reading: TextReading): WorkflowGraph {
  const { draft, document } = reading;
  if (draft === undefined) return { nodes: [], edges: [] };
  const { all } = indexSteps(draft.workflow);
  const spanOf = (pointer: string): Span => trimmed(document.source.text, document.extentOf(draft.written(pointer)));
  const { workflow, on = [] } = draft.workflow;
  const triggers = on.map((one, i) => triggerNode(one, `/on/${i}`, { spanOf, workflow }));
  const effects = new Map(reading.scopes?.checked.calls.map((call) => [call.pointer, call.effect]));
  const nodes = all.map((one): GraphNode => {
    const effect = effects.get(`${one.pointer}/tool`);
    return { ...stepNode(one, draft), ...defined({ effect }), span: spanOf(one.pointer) };
  });
  const edges = [...all.flatMap(needsOf), ...inOrder(all), ...readsOf(reading, all)];
  return { nodes: [...triggers, ...nodes], edges: edges.filter(isFirst) };
}

const isFirst = ({ from, to, kind }: GraphEdge, at: number, all: readonly GraphEdge[]): boolean =>
  all.findIndex((one) => one.from === from && one.to === to && one.kind === kind) === at;

function trimmed(text: string, [start, end]: Span): Span {
  return [start, start + text.slice(start, end).trimEnd().length];
}

interface TriggerSite {
  readonly spanOf: (pointer: string) => Span;
  /** A tool without a name has that of its workflow. */
  readonly workflow: string;
}

/** The label is the kind of the trigger, and after a space what it names. */
function triggerNode(trigger: TriggerDocument, pointer: string, { spanOf, workflow }: TriggerSite): GraphNode {
  const label = triggerLabel(trigger, workflow);
  return { pointer, kind: 'trigger', label, lane: { kind: 'on', pointer: '/on' }, span: spanOf(pointer) };
}

function triggerLabel(trigger: TriggerDocument, workflow: string): string {
  if ('tool' in trigger) return `tool ${trigger.tool.name ?? defaultToolName(workflow)}`;
  if ('resource' in trigger) return `resource ${trigger.resource} ${excerpt(trigger.uri, 60)}`;
  if ('run' in trigger) return `run ${excerpt(trigger.run.workflow, 60)}`;
  if ('poll' in trigger) return `poll ${excerpt(trigger.poll, 60)}`;
  if ('event' in trigger) return `event ${excerpt(trigger.event, 60)}`;
  if (isScheduled(trigger)) return `schedule ${excerpt(scheduledTimes(trigger), 60)}`;
  return 'webhook' in trigger ? `webhook ${trigger.webhook}` : 'device';
}

function stepNode({ step, pointer, containers }: StepLocation, { opaque }: Draft): Omit<GraphNode, 'span'> {
  const holder = containers.at(-1);
  const lane = holder === undefined ? ({ kind: 'root', pointer: '/steps' } as const) : laneOf(holder);
  const parent = holder?.owner?.pointer;
  return {
    pointer,
    kind: verbOf(step),
    ...defined({ id: step.id, title: step.title }),
    label: labelOf(step),
    ...defined({ parent }),
    lane,
    ...(opaque.has(pointer) ? { isBroken: true } : {}),
  };
}

type StepHolder = StepLocation['containers'][number];

function laneOf({ kind, pointer, owner }: StepHolder): GraphLane {
  const label = kind === 'root' ? pointer.slice(1) : owner && labelOfLane(owner, pointer);
  return { kind, pointer, ...defined({ label }) };
}

function labelOfLane({ step, pointer }: NonNullable<StepHolder['owner']>, list: string): string | undefined {
  if ('switch' in step) {
    const one = casesOf(step, pointer).find((each) => each.pointer === list);
    if (one !== undefined) return one.when === undefined ? 'else' : excerpt(String(one.when));
  }
  const handler = handlersOf(step, pointer).find((each) => each.list === list);
  return handler && (handler.match === undefined ? 'any failure' : handler.match.join(', '));
}

const labelMax = 60;

/** The verb's value if it is a text; else the verb. */
function labelOf(step: StepDocument): string {
  const verb = verbOf(step);
  const value = (step as unknown as Record<string, unknown>)[verb];
  if (typeof value === 'string') return excerpt(value, labelMax);
  if (verb === 'set' && typeof value === 'object' && value !== null)
    return excerpt(Object.keys(value).join(', '), labelMax);
  return verb;
}

/** Steps of a list run one after the other, except in a `parallel`. */
function inOrder(all: readonly StepLocation[]): GraphEdge[] {
  const last = new Map<string, string>();
  return all.flatMap(({ pointer, containers }): GraphEdge[] => {
    const holder = containers.at(-1);
    if (holder === undefined || holder.kind === 'parallel') return [];
    const from = last.get(holder.pointer);
    last.set(holder.pointer, pointer);
    return from === undefined ? [] : [{ from, to: pointer, kind: 'next' }];
  });
}

function needsOf({ step, pointer, containers }: StepLocation, _: number, all: readonly StepLocation[]): GraphEdge[] {
  const list = containers.at(-1)?.pointer;
  return (step.needs ?? []).flatMap((id): GraphEdge[] => {
    const needed = all.find((one) => one.step.id === id && one.containers.at(-1)?.pointer === list);
    return needed === undefined ? [] : [{ from: needed.pointer, to: pointer, kind: 'needs' }];
  });
}

const readsOf = ({ scopes }: TextReading, all: readonly StepLocation[]): GraphEdge[] =>
  stepReferences(scopes, all).flatMap(({ reader, target }): GraphEdge[] =>
    reader === undefined || reader === target ? [] : [{ from: target.pointer, to: reader.pointer, kind: 'reads' }],
  );
