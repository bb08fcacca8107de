/** Reads a text as a document: its mistakes of form, and the valid parts that remain to be checked. */
import { limits } from '@baton/expressions';

import { applyCorrections } from './document/applyCorrections.ts';
import { withoutOutdented } from './document/outdentedKeys.ts';
import { type Draft, validParts, whole } from './document/partialDocument.ts';
import { type Workflow, WorkflowSchema } from './document/workflow.ts';
import type { Problem } from './problem.ts';
import { causesOf } from './yaml/causes.ts';
import { Document, withoutMark } from './yaml/document.ts';
import { type Tokens, tokenizing } from './yaml/tokens.ts';

export interface ReadDocument {
  readonly document: Document;
  readonly workflow: Workflow | undefined;
  /** The parts that remain to be checked. */
  readonly draft: Draft | undefined;
  readonly problems: readonly Problem[];
}

export function* reading(given: string): Generator<void, ReadDocument> {
  const { bytes } = limits.document;
  if (given.length > bytes || new TextEncoder().encode(given).length > bytes) return tooLarge(given);
  if (isUtf16(given)) return notUtf8(given);
  const text = withoutMark(given);
  const tokens = yield* tokenizing(text);
  yield;
  const document = new Document(text, tokens);
  yield;
  return readForm(document);
}

/** The same for a document that is already read. */
export function readForm(document: Document): ReadDocument {
  const { value, problems: syntax } = document;
  const causes = causesOf(document);
  if (value === undefined) return { document, workflow: undefined, draft: undefined, problems: causes };
  if (value === null)
    return { document, workflow: undefined, draft: undefined, problems: [...causes, ...emptiness(syntax)] };
  const result = WorkflowSchema.safeParse(value);
  if (result.success && syntax.length === 0) {
    // The document itself and not zod's copy: keys keep their order.
    const workflow = value as unknown as Workflow;
    return { document, workflow, draft: whole(workflow), problems: [] };
  }
  const meant = applyCorrections(value);
  const own = withoutOutdented(value, meant.problems);
  const intact = own.filter((problem) => isIntact(document, problem, syntax));
  const draft = isRecovered(syntax) ? validParts(meant) : undefined;
  return { document, workflow: undefined, draft, problems: [...causes, ...intact] };
}

const tooLarge = (text: string): ReadDocument => ({
  document: firstLineOf(text),
  workflow: undefined,
  draft: undefined,
  problems: [tooLargeProblem()],
});

export function tooLargeProblem(): Problem {
  const { bytes } = limits.document;
  const message = `The file is larger than ${bytes} bytes.`;
  return { code: 'too-large', pointer: '', span: [0, 1], message, expected: `at most ${bytes} bytes` };
}

/** For a text that is refused unread. */
export const firstLineOf = (text: string): Document =>
  new Document(text.slice(0, 1_000).split('\n')[0] ?? '', noTokens);

const noTokens: Tokens = { tokens: [], problems: [], isCut: true, count: 0 };

/** UTF-16 that was decoded as UTF-8: its mark became two replacement characters, and every other character is NUL. */
const isUtf16 = (text: string): boolean => /^\ufffd\ufffd|^[^\0]\0|^\0[^\0]/.test(text);

const notUtf8 = (text: string): ReadDocument => ({
  document: firstLineOf(text.slice(0, 1_000).replaceAll(/[\0\ufffd]/g, '')),
  workflow: undefined,
  draft: undefined,
  problems: [
    {
      code: 'invalid-text',
      pointer: '',
      span: [0, 1],
      message: 'The file is not UTF-8; it looks like UTF-16.',
      expected: 'UTF-8',
      hint: 'save it again as UTF-8',
    },
  ],
});

function emptiness(syntax: readonly Problem[]): Problem[] {
  if (syntax.length > 0) return [];
  const message = 'There is no workflow in this file.';
  return [
    { code: 'empty-document', pointer: '', span: [0, 1], message, hint: 'begin with `workflow: <name>` and `steps:`' },
  ];
}

/** Drops problems that a syntax error may have caused. */
function isIntact(document: Document, { pointer }: Problem, syntax: readonly Problem[]): boolean {
  const [start, end] = document.extentOf(pointer);
  const lineOf = (offset: number): number => document.source.position(offset).line;
  // Where a tab stands, YAML reads another indentation than the author sees.
  if (syntax.some(({ code }) => code === 'yaml-tab')) return false;
  return syntax.every(({ code, span }) => {
    if (span === undefined) return true;
    // A wrongly indented line may belong to the part before it.
    const isNext = code === 'yaml-indent' && lineOf(span[0]) - lineOf(Math.max(start, end - 1)) === 1;
    const isApart = !isNext && (span[1] <= start || span[0] > end);
    return (isApart || recovered.has(code)) && lineOf(span[0]) !== lineOf(start);
  });
}

/** After these errors, the rest of the document is read as it was meant. */
const recovered = new Set<string>([
  'duplicate-key',
  'forbidden-key',
  'yaml-merge',
  'yaml-tag',
  'yaml-anchor',
  'yaml-documents',
  'expression-unquoted',
  'invalid-text',
  'number-too-large',
  'number-not-finite',
]);

const isRecovered = (syntax: readonly Problem[]): boolean => syntax.every(({ code }) => recovered.has(code));
