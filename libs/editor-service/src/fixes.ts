/** Fixes: the edits that correct findings. */
import type { Span } from '@baton/expressions';
import { type Problem, type Diagnostic, untabbed } from '@baton/language';
import { distance } from 'fastest-levenshtein';

import { type Edit, applyEdits } from './edit.ts';
import { type TextReading, readText } from './reading/reading.ts';

export interface Fix {
  readonly diagnostic: Diagnostic;
  /** What the fix does, as an imperative: `Write "title"`. */
  readonly title: string;
  readonly edits: readonly Edit[];
  /** The text is wrong and can mean nothing else: an editor may apply it without asking. */
  readonly isCertain: boolean;
}

type FixMaker = (about: FixSubject) => FixDraft | undefined;
type FixDraft = Pick<Fix, 'edits' | 'isCertain'> & { readonly writes: string };

interface FixSubject {
  readonly diagnostic: Diagnostic;
  readonly problem: Problem | undefined;
  readonly text: string;
}

/** Fixes of a text's findings, in their order. */
export function fixes(reading: TextReading): Fix[] {
  const { document, problems } = reading;
  const { text } = document.source;
  return document.diagnostics(problems).flatMap((diagnostic): Fix[] => {
    const problem = problems.find(
      ({ code, pointer, message }) =>
        code === diagnostic.code && pointer === diagnostic.path && message === diagnostic.message,
    );
    const made = (byCode[diagnostic.code] ?? suggested)({ diagnostic, problem, text });
    if (made === undefined) return [];
    const { writes, ...rest } = made;
    // What is only doubted may be right.
    const isCertain = made.isCertain && diagnostic.severity === 'error' && !decidesOnRepeats(diagnostic);
    return [{ diagnostic, title: writes === '' ? 'Remove it' : `Write ${writes}`, ...rest, isCertain }];
  });
}

/** Applies all certain fixes, repeatedly, since a fix may reveal further mistakes; returns the text and the fixes. */
export function fixAll(reading: TextReading): { readonly text: string; readonly made: readonly Fix[] } {
  let now = reading;
  const made: Fix[] = [];
  for (let round = 0; round < roundsMax; round++) {
    const certain = withoutOverlaps(fixes(now).filter(({ isCertain }) => isCertain));
    if (certain.length === 0) break;
    const edits = certain.flatMap((one) => one.edits);
    const next = readText(applyEdits(now.document.source.text, edits), now.known);
    // Drops a fix that does not reduce the problems; where tabs were, more of the text is read now.
    const isReadNow = certain.some(({ diagnostic }) => diagnostic.code === 'yaml-tab');
    if (!isReadNow && next.problems.length >= now.problems.length) break;
    made.push(...certain);
    now = next;
  }
  return { text: made.length === 0 ? reading.text : now.text, made };
}

/** Whether a call may be made twice depends on these values: a person writes them, however near the next valid one is. */
const decidesOnRepeats = ({ path }: Diagnostic): boolean => /\/(?:effect|ifUnknown)$/.test(path ?? '');

const roundsMax = 8;

const withoutOverlaps = (all: readonly Fix[]): Fix[] =>
  all.filter(
    (one, i) =>
      !all.slice(0, i).some((other) => one.edits.some((a) => other.edits.some((b) => overlaps(a.span, b.span)))),
  );

const overlaps = (a: Span, b: Span): boolean => a[0] < b[1] && b[0] < a[1];

/** For a hint `did you mean "x"?` with one suggestion. */
function suggested({ diagnostic, problem, text }: FixSubject): FixDraft | undefined {
  const { hint = '', span } = diagnostic;
  const key = problem?.at === 'key' ? problem.meant : undefined;
  const said = key ?? /^did you mean "([^"…]+)"\?$/.exec(hint)?.[1];
  const found = key === undefined ? diagnostic.found : text.slice(...span);
  const place = found === undefined ? undefined : placeOf(text, span, found);
  if (said === undefined || found === undefined || place === undefined) return undefined;
  const meant = said.slice(sharedBefore(text.slice(0, place[0]), said));
  return { edits: [{ span: place, text: meant }], writes: `"${meant}"`, isCertain: isSlip(found, meant) };
}

/** Suggestions such as `server/tool` and `steps.id` are whole, although only the last part is wrong. */
function sharedBefore(before: string, meant: string): number {
  const ends = [...meant.matchAll(/[/.]\??/g)].map(({ index, 0: mark }) => index + mark.length);
  return ends.findLast((end) => before.endsWith(meant.slice(0, end))) ?? 0;
}

/** The position of the word in the span; of an access, that of its last part. */
function placeOf(text: string, [start, end]: Span, found: string): Span | undefined {
  const at = text.slice(start, end).lastIndexOf(found);
  return at < 0 ? undefined : [start + at, start + at + found.length];
}

/**
 * Whether it is a typing error, or another spelling of the same word. Two letters in exchange make another word of a
 * short one: `max` and `min`.
 */
function isSlip(found: string, meant: string): boolean {
  const bare = (word: string): string => word.toLowerCase().replaceAll(/[-_ ]/g, '');
  const letters = (word: string): string => Array.from(word).toSorted().join('');
  if (bare(found) === bare(meant)) return true;
  const apart = found.length > 2 ? distance(found, meant) : Infinity;
  return apart <= (found.length > shortWord || letters(found) === letters(meant) ? 2 : 1);
}

const shortWord = 5;

const literal =
  (isCertain: boolean): FixMaker =>
  ({ diagnostic: { hint, span }, text }) => {
    const written =
      hint === undefined
        ? undefined
        : (/^write `([^`]+)`$/.exec(hint)?.[1] ?? /^"([^"]+)"(?: for seconds)?$/.exec(hint)?.[1]);
    if (written === undefined) return undefined;
    const isQuoted = /^["']/.test(text.slice(span[0], span[1]));
    const insert = isQuoted ? text.charAt(span[0]) + written + text.charAt(span[0]) : written;
    return { edits: [{ span, text: insert }], writes: `"${written}"`, isCertain };
  };

/** For findings whose hint is the corrected value. */
const bare: FixMaker = (about) => {
  const { hint, span } = about.diagnostic;
  const isValue =
    hint !== undefined && /^(?:true|false|\[[\w-]+\]|\{ (?:attempts|limit): \d+ \}|\{ type: \w+ \})$/.test(hint);
  return isValue ? { edits: [{ span, text: hint }], writes: hint, isCertain: true } : suggested(about);
};

/** `forEach: inputs.list`. Certain only if the text can be nothing but an expression. */
const inBraces: FixMaker = ({ diagnostic: { hint = '', span }, text }) => {
  if (!hint.startsWith('${{ ')) return undefined;
  const quote = /^["']/.exec(text.slice(...span))?.[0] ?? '"';
  const isCertain = /^\$\{\{ (?:inputs|steps|item)(?:\.\w+)+ \}\}$/.test(hint);
  return { edits: [{ span, text: quote + hint + quote }], writes: hint, isCertain };
};

const byCode: Readonly<Record<string, FixMaker>> = {
  'wrong-type': bare,
  'wrong-value': bare,
  'schema-invalid': bare,
  'yaml-tab': ({ text }) => {
    const spaced = untabbed(text);
    if (spaced === undefined) return undefined;
    return { edits: [{ span: [0, text.length], text: spaced }], writes: 'spaces for the tabs', isCertain: true };
  },
  'not-a-list': inBraces,
  'effect-understated': ({ diagnostic: { span, expected = '' } }) => ({
    edits: [{ span, text: expected }],
    writes: `"${expected}"`,
    isCertain: false,
  }),
  'cron-syntax': (about) => quotedCron(about),
  'unknown-step': (about) => literal(true)(about) ?? suggested(about),
  'bad-duration': (about) => {
    const { hint = '', span } = about.diagnostic;
    const [, seconds] = /^"(\d+s)" for seconds$/.exec(hint) ?? [];
    if (seconds !== undefined) return { edits: [{ span, text: seconds }], writes: `"${seconds}"`, isCertain: false };
    const made = suggested(about);
    return made && { ...made, isCertain: true };
  },
  'bad-name': (about) => {
    const made = suggested(about);
    // Other places may use the current name.
    return made && { ...made, isCertain: false };
  },
  'expression-unquoted': ({ diagnostic: { span }, text }) => {
    const edits = [{ span, text: inQuotes(text.slice(...span)) }];
    return { edits, writes: 'it in quotes', isCertain: true };
  },
  'expression-braces': ({ diagnostic: { span }, text }) => {
    const line = text.slice(span[0], lineEnd(text, span[0]));
    const [whole = '', inner = ''] = /^\$\{\{\s*(.*?)\s*\}\}/.exec(line) ?? [];
    const isAll = /^\s*["']?\s*(?:#.*)?$/.test(line.slice(whole.length));
    if (inner === '' || !isAll) return undefined;
    const isQuoted = /["']/.test(text.charAt(span[0] - 1));
    return {
      edits: [{ span: [span[0], span[0] + whole.length], text: isQuoted || isPlain(inner) ? inner : inQuotes(inner) }],
      writes: 'it without the braces',
      isCertain: true,
    };
  },
  'not-an-expression': ({ diagnostic: { span, found = '' } }) => {
    const inner =
      /^(?:=?\{\{|\$\{)\s*(.*?)\s*\}\}?$/.exec(found)?.[1] ?? /^[$=]?\.?([A-Za-z_][^{}]*)$/.exec(found)?.[1];
    if (inner === undefined) return undefined;
    const written = `\${{ ${inner} }}`;
    return { edits: [{ span, text: written }], writes: written, isCertain: false };
  },
  'may-be-missing': ({ diagnostic: { span }, text }) => {
    const access = /\.(?=[A-Za-z_]\w*$)/.exec(text.slice(...span));
    if (access === null) return undefined;
    const at = span[0] + access.index;
    return {
      edits: [{ span: [at, at + 1], text: '.?' }],
      writes: 'an access that may find nothing: `.?`',
      isCertain: false,
    };
  },
  'unused-key': ({ diagnostic: { span }, text }) => {
    const start = text.lastIndexOf('\n', span[0] - 1) + 1;
    const end = lineEnd(text, span[0]);
    const isOneLine = /^\s*$/.test(text.slice(start, span[0])) && /:\s*[^\s|>{[]/.test(text.slice(span[1], end));
    return isOneLine
      ? { edits: [{ span: [start, Math.min(end + 1, text.length)], text: '' }], writes: '', isCertain: false }
      : undefined;
  },
};

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
};

const inQuotes = (text: string): string =>
  text.includes('"') ? `'${text.replaceAll("'", "''")}'` : `"${text.replaceAll('\\', '\\\\')}"`;

/** Whether YAML reads the text without quotes as it is: `!a` would be a tag, and `[a]` a list. */
const isPlain = (text: string): boolean => !/^[-?:,[\]{}#&*!|>'"%@`]|:(?:\s|$)|\s#/.test(text);

/** Replaces `@daily` by cron fields, and keeps the quotes. */
function quotedCron({ diagnostic: { hint = '', span }, text }: FixSubject): FixDraft | undefined {
  const fields = /^"([^"]+ [^":]+)"$/.exec(hint)?.[1];
  if (fields === undefined) return undefined;
  const quote = /^["']/.exec(text.slice(...span))?.[0] ?? '"';
  return { edits: [{ span, text: quote + fields + quote }], writes: `"${fields}"`, isCertain: true };
}
