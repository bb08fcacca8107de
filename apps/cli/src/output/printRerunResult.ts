/** Prints what a retry or rerun keeps and executes again: before it starts, or beside the id of the new run. */
import type { RepeatedCall, RerunResult } from '@baton/api/client';
import { keptText, saidSentence, undoWords } from '@baton/engine';

import type { Context } from '../context.ts';
import { jsonText } from './json.ts';
import { type Column, printTable } from './table.ts';
import { oneLine } from './text.ts';

const columns: readonly Column<RepeatedCall>[] = [
  { title: 'STEP', value: ({ path }) => path },
  { title: 'CALL', value: ({ verb, target }) => target ?? verb },
  {
    title: 'EFFECT',
    value: ({ effect = '' }) => effect,
    colour: (paint, { effect }) => (effect === 'write' ? paint.yellow : paint.dim),
  },
  {
    title: 'BEFORE',
    value: (call) => `${call.outcome}${undoText(call)}${lookupText(call, ', ')}${saidText(call)}${formerText(call)}`,
  },
];

interface RerunForm {
  readonly asJson: boolean;
  /** What is kept and repeated was printed before, and agreed to. */
  readonly isAgreed: boolean;
}

/** Prints the calls of a preview, or the id of the new run, to stdout. */
export function printRerunResult(
  { stdout, stderr }: Context,
  rerunning: RerunResult,
  { asJson, isAgreed }: RerunForm,
): void {
  if (asJson) return stdout.line(jsonText(rerunning));
  const { id, kept, again, unread = 0, unmatched, notUndone = [], newerVersion } = rerunning;
  if (unmatched.length > 0) stderr.line(oneLine(`Steps that this version does not have: ${unmatched.join(', ')}`));
  if (newerVersion !== undefined)
    stderr.line(`Version ${newerVersion} is deployed; --workflow-version ${newerVersion} continues with it.`);
  if (notUndone.length > 0) stderr.line(notUndoneText(notUndone));
  if (id !== undefined && isAgreed) return stdout.line(id);
  stderr.line(`${keptText(kept)} ${headOf(again, unread)}`);
  if (unread > 0) stderr.line(unreadText(unread));
  if (id === undefined) return printTable(stdout, columns, again);
  for (const call of again) stderr.line(`  ${repeatedCallText(call)}`);
  stdout.line(id);
}

/** What they did is still there. */
const notUndoneText = (paths: readonly string[]): string =>
  oneLine(`Kept, because the run before could not undo it: ${paths.join(', ')}`);

function headOf(again: readonly RepeatedCall[], unread: number): string {
  if (again.length > 0) return 'Calls that the new run may repeat:';
  return unread === 0 ? 'No call will be repeated.' : '';
}

/** `unread`: of child runs and earlier runs that were removed, or are too many. */
export const unreadText = (unread: number): string =>
  `What ${unread === 1 ? '1 run' : `${unread} runs`} below it or before it did is not known any more, and may be repeated.`;

export function repeatedCallText(call: RepeatedCall): string {
  const { path, verb, target = verb, effect, outcome } = call;
  const what = effect === undefined ? '' : ` (${effect})`;
  const before = outcome === 'unknown' ? 'may have happened before' : `before: ${outcome}`;
  const unseen = outcome === 'unknown' ? ', and nothing looks whether it did' : '';
  return oneLine(
    `${path}: ${target}${what}, ${before}${undoText(call)}${lookupText(call, ': ') || unseen}${saidText(call)}${formerText(call)}`,
  );
}

const undoText = ({ undoEnd }: RepeatedCall): string => (undoEnd === undefined ? '' : `, and ${undoWords[undoEnd]}`);

/** What a person said of it before. */
const saidText = ({ said }: RepeatedCall): string =>
  said === undefined ? '' : `; ${saidSentence({ ...said, at: Date.parse(said.at) }, Date.now())}`;

/** What comes before the call. */
function lookupText({ lookup }: RepeatedCall, before: string): string {
  if (lookup === undefined) return '';
  if (lookup.happened === false) return `${before}it did not happen, you say`;
  if (lookup.by === 'person') return `${before}a person is asked first whether it happened`;
  return `${before}its outcome is looked up first${lookup.target === undefined ? '' : ` with ${lookup.target}`}`;
}

/** Where the call was made, if its step is gone. */
function formerText({ formerly, sameArguments }: RepeatedCall): string {
  if (formerly === undefined) return '';
  const given = sameArguments === undefined ? '' : ` with ${sameArguments ? 'the same' : 'other'} arguments`;
  return ` at the step ${formerly} (gone)${given}`;
}
