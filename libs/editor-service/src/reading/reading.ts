/** A text that is read once for all questions about it. */
import { limits } from '@baton/expressions';
import {
  type CheckOptions,
  type Draft,
  asWritten,
  type Problem,
  firstLineOf,
  readForm,
  tooLargeProblem,
  type Document,
  DocumentReader,
} from '@baton/language';

import { draftOf } from './draft.ts';
import { type RecordedScopes, checkAndRecord } from './recordedScopes.ts';

export interface TextReading {
  readonly text: string;
  readonly known: CheckOptions;
  readonly document: Document;
  /** The usable parts of the workflow; undefined if there are none. */
  readonly draft: Draft | undefined;
  /** What the check recorded about the draft. */
  readonly scopes: RecordedScopes | undefined;
  /** All problems that `check` reports. */
  readonly problems: readonly Problem[];
}

/** `reader`: read the text before the change. */
export function readText(text: string, known: CheckOptions = {}, reader = new DocumentReader()): TextReading {
  const { bytes } = limits.document;
  if (text.length > bytes || new TextEncoder().encode(text).length > bytes) return tooLarge(text, known);
  const form = readForm(reader.read(text));
  const { value } = form.document;
  const draft = form.draft ?? (value === undefined || value === null ? undefined : draftOf(value));
  const scopes = draft && checkAndRecord(draft, known);
  const checked = form.draft && scopes ? asWritten(form.draft, scopes.checked).problems : [];
  return { text, known, document: form.document, draft, scopes, problems: [...form.problems, ...checked] };
}

function tooLarge(text: string, known: CheckOptions): TextReading {
  return {
    text,
    known,
    document: firstLineOf(text),
    draft: undefined,
    scopes: undefined,
    problems: [tooLargeProblem()],
  };
}
