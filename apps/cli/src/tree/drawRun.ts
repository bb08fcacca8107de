/**
 * Draws a run: a pure function from its state to lines of text.
 *
 * It draws blocks, one for each step of the workflow's own list. A settled block never changes, so it can scroll away
 * while the rest is redrawn.
 */
import type { TracedStep } from '@baton/engine';
import { durationText } from '@baton/primitives';

import type { Paint } from '../output/output.ts';
import { oneLine, truncate, widthOf } from '../output/text.ts';
import { colourOf, glyphOf } from './glyphs.ts';
import { labelWidthOf, lineOf, widestPicture } from './layout.ts';
import { type RunForest, type TreeNode, actingSteps, markUnended, isOver, nodesOf } from './nodes.ts';
import type { WorkflowOutline, OutlinedStep } from './outline.ts';
import type { TreeRow } from './row.ts';
import { rowsOf } from './rows.ts';
import type { RunHead } from './runHead.ts';

export interface RunPicture {
  readonly head: RunHead;
  /** In the order in which they began. */
  readonly steps: readonly TracedStep[];
  /** If the plan is known, pending steps are shown too. */
  readonly outline?: WorkflowOutline | undefined;
}

export interface DrawOptions {
  /** Cells in a row. */
  readonly width: number;
  readonly nowMs: number;
  readonly paint: Paint;
}

export interface DrawnLine {
  readonly text: string;
  readonly kind: 'open' | 'over' | 'pending' | 'heading';
}

interface DrawnBlock {
  readonly lines: readonly DrawnLine[];
  readonly isSettled: boolean;
}

export interface DrawnRun {
  readonly blocks: readonly DrawnBlock[];
  /** The status of the whole run. */
  readonly footer: string;
}

interface RowBlock {
  readonly heading?: string;
  readonly rows: readonly TreeRow[];
  readonly isSettled: boolean;
}

export function drawRun({ head, steps, outline }: RunPicture, { width, nowMs: drawnAt, paint }: DrawOptions): DrawnRun {
  const forest = nodesOf(markUnended(steps, head.status), outline);
  const nowMs = Math.min(drawnAt, head.endedAt ?? drawnAt);
  const blocks = [...mainBlocks(forest, head, nowMs), ...lastBlocks(forest, head, nowMs)];
  const cells = Math.min(width, widestPicture);
  const labelWidth = Math.max(
    labelWidthOf(
      blocks.flatMap(({ rows }) => rows),
      cells,
    ),
    labelWidthOf(outlinedRows(outline?.main ?? []), cells),
  );
  const drawn = blocks.map(({ heading, rows, isSettled }): DrawnBlock => {
    const first: DrawnLine[] =
      heading === undefined ? [] : [{ text: paint.dim(truncate(heading, cells)), kind: 'heading' }];
    const lines = rows.map((row): DrawnLine => ({ text: lineOf(row, labelWidth, cells, paint), kind: kindOf(row) }));
    return { lines: [...first, ...lines], isSettled };
  });
  const title: DrawnBlock = {
    lines: [{ text: titleOf(head, outline, width, paint), kind: 'heading' }],
    isSettled: true,
  };
  return { blocks: [title, ...drawn], footer: footerOf(head, forest, outline, nowMs, paint) };
}

/** All lines: what remains on the screen after the run. */
export function linesOf({ blocks, footer }: DrawnRun): string[] {
  return [...blocks.flatMap(({ lines }) => lines.map(({ text }) => text)), footer];
}

const isEnded = ({ endedAt }: RunHead): boolean => endedAt !== undefined;

/** Steps that did not begin before the run's end are counted, not listed. */
function mainBlocks({ main, onFailure, finally: last, undo }: RunForest, head: RunHead, nowMs: number): RowBlock[] {
  const shown = isEnded(head) ? main.filter(({ step }) => step !== undefined) : main;
  const lastBegun = main.findLastIndex(({ step }) => step !== undefined);
  const isEnding = isEnded(head) || [onFailure, last].some(hasBegun) || undo.length > 0;
  const blocks = shown.map((node, i): RowBlock => {
    // The handlers of a failed step may still begin, until a later step begins.
    const isPassed = isEnding || i < lastBegun || node.step?.status === 'succeeded' || node.step?.status === 'skipped';
    return {
      rows: rowsOf(node, nowMs),
      isSettled: isEnded(head) || (node.step !== undefined && isPassed && isOver(node)),
    };
  });
  const unbegun = main.length - shown.length;
  if (unbegun === 0) return blocks;
  return [
    ...blocks,
    { heading: `${glyphOf('pending')} ${unbegunText(unbegun, shown.length)}`, rows: [], isSettled: true },
  ];
}

function unbegunText(unbegun: number, begun: number): string {
  if (begun > 0) return `${unbegun} more ${unbegun === 1 ? 'step' : 'steps'} did not begin`;
  return unbegun === 1 ? 'its step did not begin' : `none of its ${unbegun} steps began`;
}

const hasBegun = (nodes: readonly TreeNode[]): boolean => nodes.some(({ step }) => step !== undefined);

function lastBlocks({ onFailure, finally: last, undo }: RunForest, head: RunHead, nowMs: number): RowBlock[] {
  const section = (heading: string, nodes: readonly TreeNode[]): RowBlock[] => {
    const begun = nodes.filter(({ step }) => step !== undefined);
    if (begun.length === 0) return [];
    return [{ heading, rows: begun.flatMap((node) => rowsOf(node, nowMs)), isSettled: isEnded(head) }];
  };
  return [
    ...undo.flatMap(({ path, nodes }) => section(`undo ${oneLine(path)}`, nodes)),
    ...section('on failure', onFailure),
    ...section('finally', last),
  ];
}

/** As wide as all labels, so that columns do not move during the run. */
const outlinedRows = (steps: readonly OutlinedStep[], depth = 0): TreeRow[] =>
  steps.flatMap(({ label, children }) => [{ depth, status: 'pending', label }, ...outlinedRows(children, depth + 1)]);

function kindOf({ status }: TreeRow): DrawnLine['kind'] {
  if (status === 'pending') return 'pending';
  return status === 'running' || status === 'waiting' || status === 'retrying' ? 'open' : 'over';
}

/** Omits what does not fit: first the title, then the id. */
function titleOf(
  { workflow, version, id }: RunHead,
  outline: WorkflowOutline | undefined,
  cells: number,
  paint: Paint,
): string {
  const name = truncate(`${oneLine(workflow)}${version === undefined ? '' : `@${version}`}`, cells);
  const run = `run ${oneLine(id)}`;
  const title = outline?.title === undefined ? '' : `  ${oneLine(outline.title)}`;
  const left = cells - widthOf(name) - widthOf(run) - 2;
  if (left < 0) return paint.bold(name);
  return `${paint.bold(name)}${widthOf(title) > left ? '' : title}  ${paint.dim(run)}`;
}

function footerOf(
  head: RunHead,
  { main }: RunForest,
  outline: WorkflowOutline | undefined,
  nowMs: number,
  paint: Paint,
): string {
  const { status, isCancelling, createdAt, startedAt, endedAt } = head;
  const said = isCancelling ? 'cancelling' : status;
  const colour = colourOf(status, paint);
  const took = durationText((endedAt ?? nowMs) - (startedAt ?? createdAt));
  if (endedAt !== undefined) return `${colour(`${glyphOf(status)} ${said}`)} in ${took}`;
  const acting = main.flatMap(actingSteps);
  const done = acting.filter((node) => node.step !== undefined && isOver(node)).length;
  const count = outline === undefined ? `${done} steps done` : `${done} of ${acting.length} steps`;
  return `${colour(`${glyphOf(status)} ${said}`)}${paint.dim(` · ${count} · ${took}`)}`;
}
