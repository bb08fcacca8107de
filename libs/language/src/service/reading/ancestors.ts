/**
 * A text of which only the lines are left that one line hangs on: the keys around it, and those beside it that stand before it.
 * The others are blank, so that every place stays where it is. What is broken elsewhere is then out of the way.
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
    // The first key of an item: what stands above belongs to another.
    if (isBeside && start < column) dash = start;
  }
  return [...kept.toReversed(), own].join('\n');
}

/** Where the key begins, behind the dash of its item. */
const columnOf = (line: string): number => /^\s*(?:- +)*/.exec(line)?.[0].length ?? 0;
