/** Drops the syntax errors that only follow from a wrongly indented line before them. */
import type { Problem } from '../problem.ts';
import { Document } from './document.ts';
import { untabbed } from './untabbed.ts';

/** In a longer text all errors are reported: finding the causes reads the text several times. */
const lengthMax = 8_192;
/** Wrong lines that are corrected, to see which errors go with them. */
const causesMax = 2;

/** The syntax errors of a document without those that are gone once an earlier line has the right indentation. */
export function causesOf({ source, problems }: Document): readonly Problem[] {
  if (source.text.length > lengthMax || !problems.some(isOfIndentation)) return problems;
  const lineOf = ({ span }: Problem): number => source.position(span?.[0] ?? 0).line;
  const causes: Problem[] = [];
  let text = source.text;
  let [cause, ...left] = problems.toSorted((a, b) => lineOf(a) - lineOf(b));
  let corrected = 0;
  while (cause !== undefined) {
    const mended: string | undefined =
      left.length === 0 || !isOfIndentation(cause) || ++corrected > causesMax
        ? undefined
        : mend(text, cause, lineOf(cause));
    const wrong = mended === undefined ? undefined : wrongLines(mended);
    const apart = left.filter((one) => wrong?.has(lineOf(one)) !== false && !isFurtherTab(cause, one));
    causes.push(withCount(cause, left.filter((one) => isFurtherTab(cause, one)).length));
    text = mended ?? text;
    [cause, ...left] = apart;
  }
  return causes;
}

const isOfIndentation = ({ code }: Problem): boolean => code === 'yaml-indent' || code === 'yaml-tab';
const isFurtherTab = (cause: Problem | undefined, { code }: Problem): boolean =>
  cause?.code === 'yaml-tab' && code === 'yaml-tab';

function withCount(problem: Problem, tabs: number): Problem {
  if (tabs === 0) return problem;
  return { ...problem, message: `${problem.message} ${tabs} more ${tabs === 1 ? 'line begins' : 'lines begin'} so.` };
}

function wrongLines(text: string): ReadonlySet<number> {
  const { problems, source } = new Document(text);
  return new Set(problems.map(({ span }) => source.position(span?.[0] ?? 0).line));
}

/** The text with the line, counted from 1, indented so that the fewest errors are left; undefined if none goes. */
function mend(text: string, { code }: Problem, line: number): string | undefined {
  if (code === 'yaml-tab') return untabbed(text);
  const before = wrongLines(text).size;
  let best: { readonly one: string; readonly count: number } | undefined;
  for (const one of candidates(text.split('\n'), line - 1)) {
    const wrong = wrongLines(one);
    if (!wrong.has(line) && wrong.size < (best?.count ?? before)) best = { one, count: wrong.size };
    if (best?.count === 0) break;
  }
  return best?.one;
}

/** The text with the line alone, or with those that go with it, at the columns of its neighbours. */
function candidates(lines: readonly string[], at: number): string[] {
  const own = indentOf(lines[at]);
  const columns = new Set([
    ...columnsOf(lines.slice(0, at).findLast(isFilled)),
    indentOf(lines.slice(at + 1).find(isFilled)),
  ]);
  columns.delete(own);
  const ends = new Set([at + 1, endOfBlock(lines, at)]);
  return [...columns].flatMap((column) => [...ends].map((end) => shifted(lines, [at, end], column - own)));
}

/** Where the line begins, and behind `- ` where its first key does. */
function columnsOf(line = ''): number[] {
  const item = /^ *(?:- +)+/.exec(line)?.[0].length;
  return [indentOf(line), ...(item === undefined ? [] : [item])];
}

/** The line after those that are indented as far as the one at `at`, or further. */
function endOfBlock(lines: readonly string[], at: number): number {
  const [own, isItem] = [indentOf(lines[at]), isItemLine(lines[at])];
  const length = lines.slice(at + 1).findIndex((line) => {
    if (!isFilled(line)) return false;
    return indentOf(line) < own || (indentOf(line) === own && isItemLine(line) && !isItem);
  });
  return length < 0 ? lines.length : at + 1 + length;
}

const shifted = (lines: readonly string[], [from, to]: readonly [number, number], by: number): string =>
  lines
    .map((line, at) => {
      if (at < from || at >= to || !isFilled(line)) return line;
      return by > 0 ? ' '.repeat(by) + line : line.slice(-by);
    })
    .join('\n');

const indentOf = (line = ''): number => /^ */.exec(line)?.[0].length ?? 0;
const isItemLine = (line = ''): boolean => /^ *- /.test(line);
const isFilled = (line: string): boolean => line.trim() !== '';
