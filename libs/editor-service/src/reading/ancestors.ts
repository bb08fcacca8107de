/**
 * Blanks all lines of a text except those that one line depends on: its enclosing keys, and the keys beside it that
 * precede it. Positions stay valid, and mistakes elsewhere do not matter.
 */
export function ancestorsOnly(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  const own = lines.pop() ?? '';
  const kept: string[] = [];
  let column = columnOf(own);
  let dash = own.search(/\S/);
  for (const line of lines.toReversed()) {
    const start = line.search(/\S/);
    const isBeside = columnOf(line) === column && start >= 0 && !own.trimStart().startsWith('- ') && dash >= 0;
    const isAround = start >= 0 && start < Math.min(column, dash < 0 ? column : dash);
    if (isAround) {
      column = columnOf(line);
      dash = start;
    }
    kept.push(isAround || (isBeside && start >= dash) ? line : ' '.repeat(line.length));
    // The first key of an item: lines above belong to another item.
    if (isBeside && start < column) dash = start;
  }
  return [...kept.toReversed(), own].join('\n');
}

/** The column of the key, after the dash of its item. */
const columnOf = (line: string): number => /^\s*(?:- +)*/.exec(line)?.[0].length ?? 0;
