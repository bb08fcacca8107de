/** Completes at the cursor, in complete and unfinished files. */
import { segmentsOf } from '@baton/expressions';
import { type CheckOptions, DocumentReader } from '@baton/language';
import { isObject, type Json } from '@baton/primitives';

import { type Cursor, cursorsAt, mark } from '../reading/cursor.ts';
import { draftOf, inDraft } from '../reading/draft.ts';
import { expressionAt } from '../reading/expressionPart.ts';
import { placeAt } from '../reading/filePlace.ts';
import { knownIn } from '../reading/knownIn.ts';
import { checkAndRecord, readableAt } from '../reading/recordedScopes.ts';
import { completeExpression } from './completeExpression.ts';
import { completeKeys } from './completeKeys.ts';
import { completeValue } from './completeValue.ts';
import type { Completion, Completions } from './completion.ts';

/** `offset`: UTF-16. `reader`: reused between completions; `readText` needs a reader of its own. */
export function complete(
  text: string,
  offset: number,
  known: CheckOptions = {},
  reader = new DocumentReader(),
): Completions {
  for (const cursor of cursorsAt(text, offset, reader)) {
    const items = completeAt(cursor, known);
    if (items.length > 0) return { items, isPartial: items.some(({ kind }) => kind === 'tool') };
  }
  return { items: [], isPartial: false };
}

function completeAt(cursor: Cursor, all: CheckOptions): Completion[] {
  const known = knownIn(cursor.value, all);
  if (cursor.kind === 'key') return completeKeys(cursor, known);
  const hole = expressionAt(cursor.text, cursor.text.indexOf(mark));
  if (hole !== undefined) return inExpression(cursor, hole.source, known);
  const { offers } = placeAt(cursor.value, cursor.pointer, known);
  return offers === 'condition' ? inExpression(cursor, cursor.text, known) : completeValue(cursor, known);
}

function inExpression(cursor: Cursor, source: string, known: CheckOptions): Completion[] {
  const draft = draftOf(upTo(cursor));
  const scopes = draft && checkAndRecord(draft, known);
  const readable = scopes && readableAt(scopes, inDraft(draft, cursor.pointer));
  return readable === undefined ? [] : completeExpression({ source, readable, word: cursor.word, known });
}

/** The file up to the step of the cursor: an expression in a step reads nothing after the step. */
function upTo({ value, pointer }: Cursor): Json {
  const [block, index] = segmentsOf(pointer);
  if (block !== 'steps' || !isObject(value) || !Array.isArray(value['steps'])) return value;
  const { onFailure: _onFailure, finally: _finally, outputs: _outputs, ...others } = value;
  return { ...others, steps: value['steps'].slice(0, Number(index) + 1) };
}
