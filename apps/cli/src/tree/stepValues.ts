/** Prints arguments and answers of a run's steps from the journal, which has secrets masked. */
import type { AskedCall, Step } from '@baton/api/client';
import { type Json, cleanText, durationText, isObject } from '@baton/primitives';

import { jsonText } from '../output/json.ts';
import type { Output } from '../output/output.ts';
import { oneLine, truncate } from '../output/text.ts';
import { instantOf } from '../output/time.ts';
import { failureLines } from './failures.ts';
import { colourOf, glyphOf } from './glyphs.ts';

/** A longer list shows the failed steps, and the first of the others. */
const shownMax = 12;
const failedLinesMax = 12;
const widest = 120;

/** One line for the arguments of a step and one for its answer; several lines for a failed step. */
export function drawStepValues(steps: readonly Step[], output: Pick<Output, 'paint' | 'columns'>): string[] {
  const told = steps.filter((step) => step.arguments !== undefined || answerOf(step) !== undefined);
  const failed = told.filter(hasFailed);
  const chosen = new Set([...failed, ...told].slice(0, shownMax));
  const { paint } = output;
  const lines = told.filter((step) => chosen.has(step)).flatMap((step) => stepLines(step, output));
  if (lines.length === 0) return [];
  const hidden = told.length - chosen.size;
  const more = hidden > 0 ? [paint.dim(`  … and ${hidden} more; one of them: baton runs show RUN STEP`)] : [];
  return ['', paint.dim('what the steps were called with, and what came back'), ...lines, ...more];
}

/** Also the answer of a model that did not fit the declared output. */
function answerOf({ output, error }: Step): unknown {
  return output ?? (isObject(error?.details) ? error.details['answer'] : undefined);
}

const hasFailed = ({ status }: Step): boolean => status === 'failed' || status === 'unknown';

function stepLines(step: Step, { paint, columns }: Pick<Output, 'paint' | 'columns'>): string[] {
  // The last column stays free, so that no terminal wraps.
  const width = (columns() ?? widest) - 1;
  const target = step.target === undefined ? '' : `  ${oneLine(step.target)}`;
  const head = truncate(`  ${glyphOf(step.status)} ${oneLine(step.path)}${target}`, width);
  return [
    paint.bold(head),
    ...valueLines('with', step.arguments, { isWhole: hasFailed(step), width }),
    ...valueLines('answer', answerOf(step), { isWhole: hasFailed(step), width }),
  ];
}

/** Formats the call that a question is about: its tool, and its arguments with secrets masked. */
export function drawAskedCall(call: AskedCall, { paint, columns }: Pick<Output, 'paint' | 'columns'>): string[] {
  const width = (columns() ?? widest) - 1;
  return [
    `  ${paint.bold(oneLine(call.target))}`,
    ...valueLines('with', call.arguments ?? undefined, { isWhole: true, width }),
  ];
}

interface ValueForm {
  /** Several lines instead of one. */
  readonly isWhole: boolean;
  readonly width: number;
}

function valueLines(name: string, value: unknown, { isWhole, width }: ValueForm): string[] {
  if (value === undefined) return [];
  const indent = `    ${name.padEnd(6)} `;
  if (!isWhole) return [truncate(`${indent}${oneLine(shownValue(value, 'line'))}`, width)];
  const all = shownValue(value, 'indented').split('\n');
  const shown = all.slice(0, failedLinesMax).map((line, i) => {
    const before = i === 0 ? indent : ' '.repeat(indent.length);
    return truncate(`${before}${line}`, width);
  });
  const hidden = all.length - shown.length;
  return hidden > 0 ? [...shown, `${' '.repeat(indent.length)}… ${hidden} more lines`] : shown;
}

/** Texts as they are, other values as JSON; the beginning of a large value. */
function shownValue(value: unknown, shape: 'line' | 'indented'): string {
  const large = largeOf(value);
  if (large !== undefined) return `${cleanText(large.preview)}… (${large.bytes} bytes in all)`;
  return typeof value === 'string' ? cleanText(value).trimEnd() : jsonText(value, shape);
}

interface LargeValue {
  readonly bytes: number;
  readonly preview: string;
}

function largeOf(value: unknown): LargeValue | undefined {
  if (typeof value !== 'object' || value === null || !('$large' in value)) return undefined;
  const { bytes, preview } = value.$large as { readonly bytes?: Json; readonly preview?: Json };
  return typeof bytes === 'number' && typeof preview === 'string' ? { bytes, preview } : undefined;
}

/** One step with all details. */
export function drawStep(step: Step, output: Pick<Output, 'paint'> & Partial<Pick<Output, 'columns'>>): string[] {
  const { paint } = output;
  const { path, verb, target = '', status, attempts, error, by } = step;
  const rows = (name: string, value: unknown): string[] =>
    value === undefined
      ? []
      : [
          '',
          paint.dim(name),
          ...shownValue(value, 'indented')
            .split('\n')
            .map((line) => `  ${line}`),
        ];
  return [
    `${colourOf(status, paint)(glyphOf(status))} ${paint.bold(oneLine(path))}  ${verb} ${oneLine(target)}`.trimEnd(),
    ...attempts.map((attempt) => `  attempt ${attempt.n}: ${attemptText(attempt)}`),
    ...(by === undefined ? [] : [`  by ${oneLine(by)}`]),
    ...rows('with', step.arguments),
    ...rows('answer', answerOf(step)),
    ...(error === undefined ? [] : ['', ...failureLines(error, output)]),
  ];
}

function attemptText({ status, startedAt, endedAt, worker, error }: Step['attempts'][number]): string {
  const [from, to] = [instantOf(startedAt), instantOf(endedAt)];
  const took = from === undefined || to === undefined ? '' : ` in ${durationText(to - from)}`;
  const who = worker === undefined ? '' : `, on ${oneLine(worker)}`;
  const why = error === undefined ? '' : `: ${oneLine(error.code)}: ${oneLine(error.message)}`;
  return `${status}${took}, from ${startedAt}${who}${why}`;
}
