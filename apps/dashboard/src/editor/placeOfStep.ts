/** Where a step goes that is inserted into the text of a workflow, and how far it is indented there. */

export interface InsertedStep {
  /** The number of lines above it. */
  readonly line: number;
  /** The step, indented like its neighbours. */
  readonly text: string;
}

const item =
  /^(\s*)- +(?:id|title|if|tool|prompt|resource|sample|ask|wait|set|state|workflow|parallel|forEach|switch|repeat|fail|steps)\s*:/;

/** The key of a list of steps, whose items are on the next lines. */
const listHead = /^(\s*(?:- +)?)steps:\s*(?:#.*)?$/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

const isBlank = (line: string): boolean => line.trim() === '';

const isComment = (line: string): boolean => line.trimStart().startsWith('#');

/**
 * After the step that has the line `at`, or at the head of the list whose `steps:` stands there; at the end of the
 * workflow's own list where no step has the line. `step` is a list item at the left margin.
 */
export function placeOfStep(lines: readonly string[], at: number, step: string): InsertedStep {
  const head = listHead.exec(lines[at] ?? '')?.[1];
  if (head !== undefined) {
    const next = lines.slice(at + 1).find((line) => !isBlank(line) && !isComment(line)) ?? '';
    const isItsItem = item.test(next) && indentOf(next) >= head.length;
    return { line: at + 1, text: indented(step, isItsItem ? indentOf(next) : indentOf(lines[at] ?? '') + 2) };
  }
  const last = placeOfLastStep(lines, step);
  const isBetween = isBlank(lines[at] ?? '') && at < last.line;
  const first = lines.findLastIndex((line, n) => n <= at && item.test(line) && (isBetween || at < endOf(lines, n)));
  return first === -1 ? last : { line: endOf(lines, first), text: indented(step, indentOf(lines[first] ?? '')) };
}

/** At the end of the workflow's own list of steps, which begins at the end of the text if there is none. */
export function placeOfLastStep(lines: readonly string[], step: string): InsertedStep {
  const head = lines.findIndex((line) => line.startsWith('steps:'));
  if (head === -1) return { line: lines.length, text: `steps:\n${indented(step, 2)}` };
  const end = endOf(lines, head);
  const first = lines.slice(head + 1, end).find((line) => item.test(line));
  return { line: end, text: indented(step, first === undefined ? 2 : indentOf(first)) };
}

/**
 * The number of lines up to the end of the block that begins on the line `first`. Blank lines after it are not of it,
 * nor are comments there that stand no deeper than it: they belong to what follows.
 */
function endOf(lines: readonly string[], first: number): number {
  const head = lines[first] ?? '';
  const indent = indentOf(head);
  const isList = head.trimStart().startsWith('steps:');
  // The items of a list may stand as deep as its key.
  const isItem = (line: string): boolean => isList && indentOf(line) === indent && line.startsWith('- ', indent);
  const isOutside = (line: string): boolean => isBlank(line) || (indentOf(line) <= indent && !isItem(line));
  const next = lines.findIndex((line, n) => n > first && isOutside(line) && !isBlank(line) && !isComment(line));
  const within = lines.slice(0, next === -1 ? lines.length : next);
  return (
    Math.max(
      first,
      within.findLastIndex((line) => !isOutside(line)),
    ) + 1
  );
}

const indented = (step: string, indent: number): string =>
  step
    .split('\n')
    .map((line) => ' '.repeat(indent) + line)
    .join('\n');
