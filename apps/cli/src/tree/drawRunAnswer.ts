/** Draws a run from the API like a live one, after a sentence about it. */
import type { Run } from '@baton/api/client';
import { excerpt } from '@baton/engine';
import { relativeText } from '@baton/primitives';

import type { Output } from '../output/output.ts';
import { outputLines, valuesHidden } from '../output/printOutputs.ts';
import { oneLine, truncate, wrap } from '../output/text.ts';
import { drawRun, linesOf } from './drawRun.ts';
import { drawFailures } from './failures.ts';
import { widestPicture } from './layout.ts';
import { markUnended } from './nodes.ts';
import type { WorkflowOutline } from './outline.ts';
import { headOfRunAnswer, stepOfRunAnswer } from './runHead.ts';
import { drawStepValues } from './stepValues.ts';

/** Of a value that is shown. */
const linesMax = 200;
const charactersMax = 4_000;

export interface DrawOptions {
  readonly nowMs: number;
  /** If the plan is known: titles, and the tree of steps. */
  readonly outline?: WorkflowOutline | undefined;
}

export function drawRunAnswer(output: Output, run: Run, { nowMs, outline }: DrawOptions): string[] {
  const { paint } = output;
  const head = headOfRunAnswer(run);
  const steps = (run.steps ?? []).filter(({ status }) => status !== 'pending').map(stepOfRunAnswer);
  const width = output.columns() ?? widestPicture;
  const drawing = drawRun({ head, steps, outline }, { width, nowMs, paint });
  const outputs = shortened(outputLines(run.outputs, output), output);
  const inputs = shortened(outputLines(run.inputs, output), output);
  const called = inputs.length === 0 ? [] : ['', paint.dim('inputs'), ...inputs.map((line) => `  ${line}`)];
  return [
    ...(run.sentence === undefined ? [] : [...wrap(sentenceIn(run, run.sentence), width)]),
    ...wrap(oneLine(originOf(run, nowMs)), width).map((line) => paint.dim(line)),
    ...(run.undoneAs === undefined ? [] : [`Its undo is the run ${oneLine(run.undoneAs)}.`]),
    ...(run.retriedAs === undefined ? [] : [`Retried as ${oneLine(run.retriedAs)}, which continues it.`]),
    '',
    ...linesOf(drawing),
    ...(run.valuesHidden ? ['', paint.dim(valuesHidden)] : called),
    ...(run.valuesHidden ? [] : drawStepValues(markUnended(run.steps ?? [], run.status), output)),
    ...drawFailures(head, steps, output, outline),
    ...(outputs.length === 0 ? [] : ['', ...outputs]),
  ];
}

/** Without a message that it would cut: the failure below has all of it. */
function sentenceIn({ status, error }: Run, sentence: string): string {
  const quoted = error === undefined ? '' : excerpt(error.message);
  return oneLine(status === 'failed' && quoted.endsWith('…') ? sentence.replace(`: ${quoted}`, () => '.') : sentence);
}

/** Who requested the run, how and when. */
function originOf({ trigger, by, createdAt, tags }: Run, nowMs: number): string {
  // What a trigger started says so itself: `schedule nightly.schedule-1`.
  const how = by?.startsWith(`${trigger.kind} `) === true ? '' : (ways[trigger.kind] ?? `by ${trigger.kind}`);
  const who = by === undefined ? '' : `by ${keyText(by)}`;
  return `Started ${[who, how].filter(Boolean).join(' ')}, ${relativeText(Date.parse(createdAt), nowMs)}${tags.length === 0 ? '' : `, tagged ${tags.join(', ')}`}.`;
}

const ways: Readonly<Record<string, string>> = {
  api: 'over the API',
  mcp: 'over MCP',
  session: 'at the gateway',
  workflow: 'as a child run',
  retry: 'as a retry',
  rerun: 'as a rerun',
  undo: 'to undo a run',
};

/** A key is written with its id in brackets. */
const keyText = (by: string): string => by.replace(/^(.*) \(([^()]+)\)$/, 'the key $1 ($2)');

/** For a terminal. A value may have megabytes; `--json` prints all of it. */
function shortened(lines: readonly string[], { paint }: Pick<Output, 'paint'>): readonly string[] {
  const cut = lines.slice(0, linesMax).map((line) => truncate(line, charactersMax));
  const isWhole = lines.length <= linesMax && cut.every((line, at) => line === lines[at]);
  return isWhole ? lines : [...cut, paint.dim('… the rest: --json')];
}
