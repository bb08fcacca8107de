/** Chooses the steps to show: all of a short list, only running and failed ones of a long list. */
import type { StepStatus } from '@baton/engine';
import { holdsOf } from '@baton/language';

import { type TreeNode, type NodeFrame, hasFailed, isOver } from './nodes.ts';
import { frameKindOf } from './outline.ts';
import { type TreeRow, rowOf } from './row.ts';

/** Up to this many items of a `forEach` are all shown. */
const fewItems = 4;
const openItemsMax = 8;
const failedItemsMax = 3;

const handlerNames = {
  item: '',
  onError: 'on error:',
  check: 'check:',
  ensure: '',
  undo: 'undo:',
  finally: 'finally:',
} as const;

export function rowsOf(node: TreeNode, nowMs: number, depth = 0): TreeRow[] {
  const inside = node.frames.flatMap((frame) =>
    frameKindOf(frame.name) === 'item' ? [] : frameRows(frame, nowMs, depth + 1, handlerNames[frameKindOf(frame.name)]),
  );
  // A case that a `switch` did not choose never begins.
  const isChoice = node.step?.verb === 'switch';
  const children = node.step === undefined ? [] : node.children.filter(({ step }) => step !== undefined || !isChoice);
  return [
    rowOf(node, depth, nowMs),
    ...children.flatMap((child) => rowsOf(child, nowMs, depth + 1)),
    ...itemRows(node, nowMs, depth + 1),
    ...inside,
  ];
}

/** A single step in its frame needs no heading. */
function frameRows({ nodes }: NodeFrame, nowMs: number, depth: number, name: string): TreeRow[] {
  const begun = nodes.filter(({ step }) => step !== undefined);
  const [only] = begun;
  if (only !== undefined && begun.length === 1) {
    const [row, ...more] = rowsOf(only, nowMs, depth);
    return row === undefined ? [] : [{ ...row, label: `${name} ${row.label}`.trimStart() }, ...more];
  }
  const status = worstOf(begun);
  return [{ depth, status, label: name }, ...begun.flatMap((node) => rowsOf(node, nowMs, depth + 1))];
}

function worstOf(nodes: readonly TreeNode[]): StepStatus {
  const has = (wanted: StepStatus): boolean => nodes.some(({ step }) => step?.status === wanted);
  const order = ['failed', 'unknown', 'cancelled', 'running', 'retrying', 'waiting', 'succeeded'] as const;
  return order.find(has) ?? 'pending';
}

function itemRows({ step, frames }: TreeNode, nowMs: number, depth: number): TreeRow[] {
  const items = frames.filter(({ name }) => frameKindOf(name) === 'item');
  const show = (some: readonly NodeFrame[]): TreeRow[] =>
    some.flatMap((frame) => frameRows(frame, nowMs, depth, `[${frame.name}]`));
  if (step !== undefined && holdsOf(step.verb) === 'rounds') return show(items.slice(-1));
  if ((step?.total ?? items.length) <= fewItems) return show(items);
  const open = items.filter(({ nodes }) => !nodes.every(isOver));
  const failed = items.filter((frame) => !open.includes(frame) && frame.nodes.some(hasFailed));
  return [
    ...show(failed.slice(0, failedItemsMax)),
    ...more(failed.length - failedItemsMax, 'failed', depth),
    ...show(open.slice(0, openItemsMax)),
    ...more(open.length - openItemsMax, 'running', depth),
  ];
}

const more = (count: number, status: StepStatus, depth: number): TreeRow[] =>
  count > 0 ? [{ depth, status, label: `… and ${count} more` }] : [];
