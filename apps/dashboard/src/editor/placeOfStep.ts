/** Where a step goes that is inserted into the text of a workflow, and how far it is indented there. */

export interface StepPlace {
  /** The number of lines above it. */
  readonly line: number;
  /** The step, indented like its neighbours. */
  readonly text: string;
}

const item =
  /^(\s*)- +(?:id|title|if|tool|prompt|resource|sample|ask|wait|set|workflow|parallel|forEach|switch|repeat|fail|steps)\s*:/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * After the step that has the line `at`, or at the head of the list whose `steps:` stands there. `step` is a list item
 * at the left margin.
 */
export function placeOfStep(lines: readonly string[], at: number, step: string): StepPlace {
  const head = /^(\s*)(?:- +)?steps:\s*$/.exec(lines[at] ?? '');
  if (head !== null) {
    const next = lines.slice(at + 1).find((line) => line.trim() !== '') ?? '';
    const indent = item.test(next) ? indentOf(next) : indentOf(lines[at] ?? '') + 2;
    return { line: at + 1, text: indented(step, indent) };
  }
  const first = lines.findLastIndex((line, n) => n <= at && item.test(line) && isInside(lines, n, at));
  if (first === -1) return { line: at + 1, text: indented(step, 2) };
  const indent = indentOf(lines[first] ?? '');
  return { line: endOf(lines, first), text: indented(step, indent) };
}

/** At the end of the workflow's own list of steps; at the end of the text if it has none. */
export function placeOfLastStep(lines: readonly string[], step: string): StepPlace {
  const head = lines.findIndex((line) => line.startsWith('steps:'));
  const end = head === -1 ? lines.length : endOf(lines, head);
  const first = lines.slice(head + 1, end).find((line) => item.test(line));
  return { line: end, text: indented(step, first === undefined ? 2 : indentOf(first)) };
}

/** The number of lines up to the end of the block that begins on the line `first`; blank lines after it are not of it. */
function endOf(lines: readonly string[], first: number): number {
  const indent = indentOf(lines[first] ?? '');
  const isNext = (line: string, n: number): boolean => n > first && line.trim() !== '' && indentOf(line) <= indent;
  const next = lines.findIndex(isNext);
  const within = lines.slice(0, next === -1 ? lines.length : next);
  return within.findLastIndex((line) => line.trim() !== '') + 1;
}

const isInside = (lines: readonly string[], first: number, at: number): boolean =>
  at < endOf(lines, first) || lines[at]?.trim() === '';

const indented = (step: string, indent: number): string =>
  step
    .split('\n')
    .map((line) => ' '.repeat(indent) + line)
    .join('\n');
