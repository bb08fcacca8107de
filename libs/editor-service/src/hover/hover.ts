/**
 * Describes the text under the cursor: a type, a description, an effect and who decided it, the next instants of a
 * schedule.
 */
import { segmentsOf } from '@baton/expressions';

import { detailOf } from '../complete/completeKeys.ts';
import { placeAt } from '../reading/filePlace.ts';
import type { TextReading } from '../reading/reading.ts';
import { keywordOf } from '../schemas/schemaNode.ts';
import { hoverExpression } from './hoverExpression.ts';
import { type Hover, plainText } from './hoverText.ts';
import { hoverValue } from './hoverValue.ts';

/** `offset`: UTF-16. `nowMs`: epoch; schedules show their next instants after it. */
export function hover(reading: TextReading, offset: number, nowMs: number): Hover | undefined {
  const { document } = reading;
  const found = document.nodeAt(offset);
  if (found === undefined) return undefined;
  if (found.side === 'key') return hoverKey(reading, found.pointer);
  return hoverExpression(reading, found.pointer, offset) ?? hoverValue(reading, found.pointer, nowMs);
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
