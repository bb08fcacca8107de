/** One row of the table of findings, and how rows are written. */
export type FindingGroup =
  | 'The file'
  | 'Its form'
  | 'Steps'
  | 'Expressions'
  | 'Schemas and values'
  | 'Triggers'
  | 'Servers';

export interface FindingSpec {
  readonly severity: 'error' | 'warning';
  readonly group: FindingGroup;
  readonly means: string;
  /** The part of a file that gets this finding: steps, or keys of the workflow. A tab is written as `⇥`. */
  readonly example: string;
  /** The same part without this finding. */
  readonly mended: string;
  /** Example and mended are sentences, since no small part of a file shows this finding. */
  readonly inWords: boolean;
}

type Write = (means: string, example: string, mended: string) => FindingSpec;

export function specsOf(group: FindingGroup): Readonly<Record<FindingSpec['severity'], Write>> {
  const write =
    (severity: FindingSpec['severity']): Write =>
    (means, example, mended) => ({ severity, group, means, example, mended, inWords: false });
  return { error: write('error'), warning: write('warning') };
}

export const inWords = (spec: FindingSpec): FindingSpec => ({ ...spec, inWords: true });

/** Lines of a file, without the indentation that they have in the source. */
export function part(lines: TemplateStringsArray): string {
  const [, ...rows] = (lines[0] ?? '').split('\n');
  const indent = rows[0]?.search(/\S/) ?? 0;
  return rows.map((row) => row.slice(indent)).join('\n');
}
