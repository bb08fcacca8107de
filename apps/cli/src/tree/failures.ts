/** Lists failures at the end: step, code, message, and what to do. */
import { type Failure, type TracedStep, causeOfFailure, countText, failureHint } from '@baton/engine';
import { cleanText, isObject } from '@baton/primitives';

import type { Output } from '../output/output.ts';
import { oneLine, wrap } from '../output/text.ts';
import type { WorkflowOutline } from './outline.ts';
import type { RunHead } from './runHead.ts';

const shownMax = 5;
const messageLinesMax = 12;

/** A terminal wraps long messages; elsewhere, such as in a pipe, each line is whole. */
type Display = Pick<Output, 'paint'> & Partial<Pick<Output, 'columns'>>;

type FileOfWorkflow = Pick<WorkflowOutline, 'placeOf'>;

/** Empty if the run did not fail. */
export function drawFailures(
  head: RunHead,
  steps: readonly TracedStep[],
  display: Display,
  file?: FileOfWorkflow,
): string[] {
  if (head.status !== 'failed') return [];
  const { paint } = display;
  const groups = [...Map.groupBy(failuresOf(head, steps), causeKey).values()];
  const [first = [], ...others] = groups
    .slice(0, shownMax)
    .map(([failure, ...alike]) => [
      '',
      ...(failure === undefined ? [] : failureLines(failure, display, file)),
      ...(alike.length === 0
        ? []
        : [`  ${paint.dim(`… and ${countText(alike.length, 'step')} more, for the same cause`)}`]),
    ]);
  // An `onError` may have handled them: they are not the reason for the failure of the run.
  const apart = head.failure === undefined || others.length === 0 ? [] : ['', paint.dim('Other failed steps:')];
  const shown = [...first, ...apart, ...others.flat()];
  const hidden = groups.slice(shownMax).flat().length;
  return hidden > 0 ? [...shown, '', paint.dim(`… and ${hidden} more failed steps`)] : shown;
}

/** Items of a loop that failed for one cause are told once. */
const causeKey = (failure: Failure): string => JSON.stringify(causeOfFailure(failure));

/** First the failure that ended the run, then the others, each once. */
function failuresOf({ failure }: RunHead, steps: readonly TracedStep[]): Failure[] {
  const others = steps.flatMap(({ path, status, failure: own }) => {
    const hasFailed = (status === 'failed' || status === 'unknown') && own !== undefined;
    // Omits blocks that failed because of a step inside them.
    return hasFailed && (own.step ?? path) === path ? [{ ...own, step: path }] : [];
  });
  if (failure === undefined) return others;
  return [failure, ...others.filter(({ step, code }) => step !== failure.step || code !== failure.code)];
}

export function failureLines(failure: Failure, display: Display, file?: FileOfWorkflow): string[] {
  const { code, message, step } = failure;
  const { paint } = display;
  const width = display.columns?.() ?? Infinity;
  const inWidth = (line: string): string[] => wrap(line, width - 2).map((one) => `  ${one}`);
  const where = step === undefined ? '' : ` ${paint.bold(oneLine(step))} `;
  const [first = '', ...rest] = cleanText(message, 4_000).trim().split('\n');
  const shown = rest.slice(0, messageLinesMax);
  const hint = failureHint(failure);
  const place = placeIn(failure, file);
  return [
    `${paint.red('✗')}${where === '' ? ' ' : where} ${paint.red(oneLine(code))}`,
    ...[first, ...shown].flatMap((line) => inWidth(line.trimEnd())),
    ...(rest.length > shown.length ? [`  ${paint.dim(`… ${rest.length - shown.length} more lines`)}`] : []),
    ...(place === undefined ? [] : [`  ${paint.dim(place)}`]),
    ...(hint === undefined ? [] : inWidth(`${paint.cyan('hint:')} ${hint}`)),
  ];
}

/** The place of the expression that failed. */
function placeIn({ details }: Failure, file: FileOfWorkflow | undefined): string | undefined {
  const at = isObject(details) ? details['at'] : undefined;
  if (file?.placeOf === undefined || typeof at !== 'string') return undefined;
  const { line, column } = file.placeOf(at);
  return `at line ${line}, column ${column} of the workflow`;
}
