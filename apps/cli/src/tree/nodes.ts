/** The steps of a run as a tree: those that have begun, and, if the plan is known, pending ones. */
import { type RunStatus, type TracedStep, asEnsured, isControl } from '@baton/engine';

import { type WorkflowOutline, type OutlinedStep, frameKindOf } from './outline.ts';

export interface TreeNode {
  readonly key: string;
  /** Undefined if it has not begun. */
  readonly step: TracedStep | undefined;
  readonly outlined: OutlinedStep | undefined;
  /** Steps of a `parallel`, a `switch` or a group. */
  readonly children: readonly TreeNode[];
  readonly frames: readonly NodeFrame[];
}

export interface NodeFrame {
  /** Index of an item or a round, `@onError`, `@check1`. */
  readonly name: string;
  readonly nodes: readonly TreeNode[];
}

export interface RunForest {
  readonly main: readonly TreeNode[];
  readonly onFailure: readonly TreeNode[];
  readonly finally: readonly TreeNode[];
  /** The undo of the step at that path. */
  readonly undo: readonly { readonly path: string; readonly nodes: readonly TreeNode[] }[];
}

const runEnds: ReadonlySet<RunStatus> = new Set(['succeeded', 'failed', 'cancelled']);

/** Marks steps that never ended because the run was set aside: they no longer run, and their outcomes are unknown. */
export const markUnended = <S extends { readonly status: TracedStep['status'] }>(
  steps: readonly S[],
  run: RunStatus,
): readonly S[] =>
  runEnds.has(run) ? steps.map((step) => (step.status === 'running' ? { ...step, status: 'unknown' } : step)) : steps;

const undoFrame = '@undo';

/** `steps` in the order in which they began. */
export function nodesOf(steps: readonly TracedStep[], outline: WorkflowOutline | undefined): RunForest {
  const index = indexOf(asEnsured(steps));
  return {
    main: frameNodes(index, '', outline?.main),
    onFailure: frameNodes(index, '@onFailure', outline?.onFailure),
    finally: frameNodes(index, '@finally', outline?.finally),
    undo: [...index.byFrame.keys()]
      .filter((frame) => keyOf(frame) === undoFrame)
      .map((frame) => ({ path: frameOf(frame), nodes: frameNodes(index, frame, undefined) })),
  };
}

interface StepFrames {
  /** Steps by the path of their frame. */
  readonly byFrame: ReadonlyMap<string, readonly TracedStep[]>;
  /** Names of the frames inside a step, by its path. */
  readonly frames: ReadonlyMap<string, readonly string[]>;
}

function indexOf(steps: readonly TracedStep[]): StepFrames {
  const byFrame = Map.groupBy(steps, ({ path }) => frameOf(path));
  const frames = new Map<string, string[]>();
  for (const frame of byFrame.keys()) {
    const slash = frame.lastIndexOf('/');
    if (slash < 0) continue;
    const step = frame.slice(0, slash);
    const known = frames.get(step);
    if (known === undefined) frames.set(step, [frame.slice(slash + 1)]);
    else known.push(frame.slice(slash + 1));
  }
  return { byFrame, frames };
}

const frameOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const keyOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function frameNodes(index: StepFrames, frame: string, outlined: readonly OutlinedStep[] | undefined): TreeNode[] {
  const begun = index.byFrame.get(frame) ?? [];
  const byKey = new Map(begun.map((step) => [keyOf(step.path), step]));
  const known = (outlined ?? []).map((one) => outlinedNode(index, one, byKey));
  // Steps without an outline: there is none, or it belongs to another version.
  return [...known, ...[...byKey.values()].map((step) => nodeOf(index, keyOf(step.path), step, undefined, []))];
}

/** Removes the step and its children from `byKey`. */
function outlinedNode(index: StepFrames, outlined: OutlinedStep, byKey: Map<string, TracedStep>): TreeNode {
  const step = byKey.get(outlined.key);
  byKey.delete(outlined.key);
  const children = outlined.children.map((child) => outlinedNode(index, child, byKey));
  return nodeOf(index, outlined.key, step, outlined, children);
}

function nodeOf(
  index: StepFrames,
  key: string,
  step: TracedStep | undefined,
  outlined: OutlinedStep | undefined,
  children: readonly TreeNode[],
): TreeNode {
  const names = step === undefined ? [] : (index.frames.get(step.path) ?? []);
  const frames = names
    .filter((name) => name !== undoFrame)
    .map((name) => ({
      name,
      nodes: frameNodes(index, `${step?.path}/${name}`, outlined?.inner[frameKindOf(name)]),
    }));
  return { key, step, outlined, children, frames };
}

const overStatuses = new Set<string>(['succeeded', 'failed', 'cancelled', 'skipped']);

/** Whether it and its children are settled; steps that have not begun do not count. */
export function isOver({ step, children, frames }: TreeNode): boolean {
  if (step !== undefined && !overStatuses.has(step.status)) return false;
  return children.every(isOver) && frames.every(({ nodes }) => nodes.every(isOver));
}

/**
 * The steps that the sentence about a run counts: those inside blocks, not the blocks. Of an ended block it counts those
 * that began; of a loop the steps of its items so far, or one step before the first item.
 */
export function actingSteps(node: TreeNode): TreeNode[] {
  const { step, outlined, children, frames } = node;
  const isPassed = step !== undefined && overStatuses.has(step.status);
  const inner = [...children, ...frames.flatMap(({ nodes }) => nodes)];
  const counted = isPassed ? inner.filter((node) => node.step !== undefined) : inner;
  const acting = counted.flatMap(actingSteps);
  const verb = step?.verb ?? outlined?.verb;
  const isBlock = verb !== undefined && isControl({ verb });
  const isToCome = !isPassed && inner.length === 0;
  return isBlock && !isToCome ? acting : [node, ...acting];
}

export const hasFailed = ({ step }: TreeNode): boolean => step?.status === 'failed' || step?.status === 'unknown';
