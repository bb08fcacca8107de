/** The rows of a table in docs/importing.md. */
export interface TableRow {
  readonly construct: string;
  /** The code of the finding, perhaps with a remark; empty: the construct means the same. */
  readonly finding: string;
}

/** The first table below the heading. */
export function rowsOf(page: string, heading: string): readonly TableRow[] {
  const [, below = ''] = page.split(`${heading}\n`);
  const [, table = ''] = /\n\|(?: --- \|){3}\n((?:\|.*\n)+)/.exec(below) ?? [];
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [, construct = '', , finding = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      return { construct, finding: finding.replaceAll('`', '') };
    });
}
