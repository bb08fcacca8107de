/** A text, read once for all that is asked about it. */
import type { CheckOptions } from '../check/options.ts';
import type { Draft } from '../document/partialDocument.ts';
import { limits } from '../limits.ts';
import { asWritten } from '../parseWorkflow.ts';
import type { Problem } from '../problem.ts';
import { firstLineOf, readForm, tooLargeProblem } from '../readDocument.ts';
import { changedTokens } from '../yaml/changedTokens.ts';
import { Document, withoutMark } from '../yaml/document.ts';
import type { Tokens } from '../yaml/tokens.ts';
import { draftOf } from './draft.ts';
import type { Sights } from './sight.ts';
import { checkSeeing } from './sight.ts';

export interface TextReading {
  readonly text: string;
  readonly known: CheckOptions;
  readonly document: Document;
  /** What is left of the workflow; undefined where nothing is. */
  readonly draft: Draft | undefined;
  /** What the check has seen of the draft. */
  readonly sights: Sights | undefined;
  /** All that `check` has to say. */
  readonly problems: readonly Problem[];
}

/** `before`: what was read of the text before it was changed, so that only the change is read again. */
export function readText(text: string, known: CheckOptions = {}, before?: TextReading): TextReading {
  const { bytes } = limits.document;
  if (text.length > bytes || new TextEncoder().encode(text).length > bytes) return tooLarge(text, known);
  const written = withoutMark(text);
  const form = readForm(new Document(written, before && tokensAgain(before.document, written)));
  const { value } = form.document;
  const draft = form.draft ?? (value === undefined || value === null ? undefined : draftOf(value));
  const sights = draft && checkSeeing(draft, known);
  const checked = form.draft && sights ? asWritten(form.draft, sights.checked).problems : [];
  return { text, known, document: form.document, draft, sights, problems: [...form.problems, ...checked] };
}

function tokensAgain(before: Document, text: string): Tokens | undefined {
  const tokens = before.takeTokens();
  return tokens && changedTokens({ text: before.source.text, tokens }, text);
}

function tooLarge(text: string, known: CheckOptions): TextReading {
  return {
    text,
    known,
    document: firstLineOf(text),
    draft: undefined,
    sights: undefined,
    problems: [tooLargeProblem()],
  };
}
