/**
 * Describes the text under the cursor: a type, a description, an effect and who decided it, the next instants of a
 * schedule.
 */
import {
  textOf,
  signatureOf,
  functions,
  macros,
  infer,
  type ExpressionNode,
  type Type,
  segmentsOf,
} from '@baton/expressions';
import { namesAt } from '@baton/language';

import { detailOf } from '../complete/completeKeys.ts';
import { nameMeanings } from '../names/nameMeanings.ts';
import { inDraft } from '../reading/draft.ts';
import { parseWhole } from '../reading/expressionPart.ts';
import { placeAt } from '../reading/filePlace.ts';
import { knownIn } from '../reading/knownIn.ts';
import type { TextReading } from '../reading/reading.ts';
import type { CheckedExpression } from '../reading/recordedScopes.ts';
import { keywordOf } from '../schemas/schemaNode.ts';
import { typeText } from '../schemas/typeText.ts';
import { type Hover, plainText } from './hoverText.ts';
import { hoverValue } from './hoverValue.ts';

/** `offset`: UTF-16. `nowMs`: epoch; schedules show their next instants after it. */
export function hover(reading: TextReading, offset: number, nowMs: number): Hover | undefined {
  const { document } = reading;
  const known = knownIn(document.value, reading.known);
  const found = document.nodeAt(offset);
  if (found === undefined) return undefined;
  if (found.side === 'key') return hoverKey({ ...reading, known }, found.pointer);
  return hoverExpression(reading, found.pointer, offset) ?? hoverValue({ ...reading, known }, found.pointer, nowMs);
}

function hoverKey({ document, known }: TextReading, pointer: string): Hover | undefined {
  const { value } = document;
  if (value === undefined) return undefined;
  const { declared, isForeign } = placeAt(value, pointer, known).ofKey;
  const name = segmentsOf(pointer).at(-1) ?? '';
  const paragraphs = declared.slice(0, 1).flatMap((node) => {
    const said = keywordOf(node, 'description') ?? keywordOf(node, 'title');
    const detail = isForeign ? [`\`${name}\`: ${detailOf({ ...node, name, isRequired: false })}`] : [];
    return [...detail, ...(typeof said === 'string' ? [isForeign ? plainText(said) : said] : [])];
  });
  const span = document.spanOf({ code: 'assumed', message: '', pointer, at: 'key' });
  return paragraphs.length === 0 ? undefined : { span, paragraphs };
}

function hoverExpression({ document, draft, scopes }: TextReading, pointer: string, offset: number): Hover | undefined {
  const within = document.offsetWithin(pointer, offset);
  if (within === undefined || draft === undefined || scopes === undefined) return undefined;
  const seen = scopes.expressions.get(inDraft(draft, pointer)) ?? [];
  const one = seen.find(({ seen: { offset: start, source } }) => within >= start && within <= start + source.length);
  const found = one && partAt(one, within - one.seen.offset);
  if (one === undefined || found === undefined) return undefined;
  const { offset: start } = one.seen;
  const span = document.spanOf({
    code: 'assumed',
    message: '',
    pointer,
    within: [start + found.span[0], start + found.span[1]],
  });
  return { span, paragraphs: found.paragraphs };
}

function partAt({ site, seen }: CheckedExpression, at: number): Hover | undefined {
  let best: { readonly node: ExpressionNode; readonly type: Type } | undefined;
  const note = (node: ExpressionNode, type: Type): void => {
    const isAround = at >= node.start && at <= node.end;
    if (isAround && (best === undefined || node.end - node.start < best.node.end - best.node.start))
      best = { node, type };
  };
  const tree = parseWhole(seen.source);
  if (tree === undefined) return undefined;
  infer({ ...namesAt(site), guarded: new Set(), complain: () => undefined, note }, tree);
  return best && describe(best.node, best.type);
}

function describe(node: ExpressionNode, type: Type): Hover | undefined {
  const span = [node.start, node.end] as const;
  const called = node.op === 'call' || node.op === 'rcall' ? node.args[0] : undefined;
  const shown = `\`${textOf(node).slice(0, 200)}\`: ${typeText(type)}`;
  const spec = called === undefined ? undefined : functions.get(called);
  if (spec !== undefined) return { span, paragraphs: [`\`${signatureOf(spec)}\``, spec.about, shown] };
  const macro = called === undefined ? undefined : macros.get(called);
  if (macro !== undefined) return { span, paragraphs: [`\`${macro.form}\``, macro.about, shown] };
  if (node.op === 'value') return undefined;
  const meaning = node.op === 'id' ? nameMeanings[node.args] : undefined;
  return { span, paragraphs: [shown, ...(meaning === undefined ? [] : [meaning])] };
}
