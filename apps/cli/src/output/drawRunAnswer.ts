/** Draws a run from the API like a live one, after a sentence about it. */
import type { Run } from '@baton/api/client';

import { drawRun, linesOf } from '../tree/drawRun.ts';
import { drawFailures } from '../tree/failures.ts';
import { widestPicture } from '../tree/layout.ts';
import { cutOff } from '../tree/nodes.ts';
import type { WorkflowOutline } from '../tree/outline.ts';
import { headOfRunAnswer, stepOfRunAnswer } from '../tree/runHead.ts';
import type { Output } from './output.ts';
import { outputLines } from './printOutputs.ts';
import { drawStepValues } from './stepValues.ts';
import { oneLine, wrap } from './text.ts';

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
  const outputs = outputLines(run.outputs, output);
  const inputs = outputLines(run.inputs, output);
  const called = inputs.length === 0 ? [] : ['', paint.dim('inputs'), ...inputs.map((line) => `  ${line}`)];
  return [
    ...(run.sentence === undefined ? [] : [...wrap(oneLine(run.sentence), width), '']),
    ...linesOf(drawing),
    ...called,
    ...drawStepValues(cutOff(run.steps ?? [], run.status), output),
    ...drawFailures(head, steps, output),
    ...(outputs.length === 0 ? [] : ['', ...outputs]),
  ];
}
