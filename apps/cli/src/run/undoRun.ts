/** `baton runs undo`: prints which calls take back what a run wrote, asks, and starts the run that makes them. */
import type { LeftWrite, UndoCall, UndoResult } from '@baton/api/client';
import { defined } from '@baton/primitives';

import type { Context } from '../context.ts';
import { confirmed } from '../inputs/confirmed.ts';
import { jsonText } from '../output/json.ts';
import { oneLine } from '../output/text.ts';

interface UndoOptions {
  readonly preview?: true;
  /** The calls are made without a question. */
  readonly yes?: true;
  readonly watch?: true;
  readonly json?: true;
}

export async function undoRun(context: Context, written: string, options: UndoOptions): Promise<void> {
  const { preview, yes, watch, json = false } = options;
  const client = await context.client();
  const { findRun } = await import('./findRun.ts');
  const id = await findRun(client, written);
  const shown = await client.runs.undo(id, { preview: true });
  if (!json) describe(context, shown);
  if (preview === true) return json ? context.stdout.line(jsonText(shown)) : undefined;
  if (yes === undefined && shown.calls.length > 0) await confirmCalls(context, shown.calls);
  // Of a run that was undone, the answer is the run that did it.
  const undo = await client.runs.undo(id, defined({}));
  context.stdout.line(json ? jsonText(undo) : String(undo.id));
  if (watch !== true || undo.id === undefined) return;
  const { watchFromTerminal } = await import('../watch/watchFromTerminal.ts');
  context.exitCode = await watchFromTerminal(context, client, undo.id, { outline: undefined, mode: 'live', json });
}

function describe({ stderr }: Context, { id, calls, left, children, retriedAs, keptFrom }: UndoResult): void {
  if (id !== undefined) stderr.line(`The run ${id} is its undo.`);
  if (retriedAs !== undefined)
    stderr.line(`note: the run ${retriedAs} goes on from it, and keeps what it wrote: undo that one first.`);
  if (keptFrom !== undefined)
    stderr.line(
      `note: what the run before it wrote, and it kept, stays. To undo that too: baton runs undo ${keptFrom}`,
    );
  if (calls.length > 0) stderr.line('Calls that undo it, in this order:');
  for (const call of calls) stderr.line(`  ${callText(call)}`);
  if (left.length > 0) stderr.line('What stays:');
  for (const write of left) stderr.line(`  ${leftText(write)}`);
  if (calls.length + left.length + children.length === 0)
    stderr.line(
      id === undefined ? 'The run wrote nothing that could be undone.' : 'All that it wrote is undone already.',
    );
  if (children.length > 0) stderr.line('What its child runs wrote stays. To undo that too:');
  for (const child of children) stderr.line(oneLine(`  ${child.path}: baton runs undo ${child.id}`));
}

function callText({ path, target, call, arguments: given, check }: UndoCall): string {
  const how = given === undefined ? 'if it happened' : JSON.stringify(given);
  const asked = check === undefined ? '' : `, after ${check.call} ${JSON.stringify(check.arguments)}`;
  return oneLine(`${path} (${target}): ${call} ${how}${asked}`);
}

const leftText = ({ path, target, outcome, why }: LeftWrite): string =>
  oneLine(`${path} (${target}${outcome === 'unknown' ? ', may have happened' : ''}): ${why}`);

function confirmCalls(context: Context, calls: readonly UndoCall[]): Promise<void> {
  const what = calls.length === 1 ? 'this call' : `these ${calls.length} calls`;
  return confirmed(context, {
    question: `Make ${what}?`,
    refusal: `${calls.length === 1 ? 'One call' : `${calls.length} calls`} would be made to undo it.`,
    hint: 'add --yes to make them',
    declined: 'Nothing was done.',
  });
}
