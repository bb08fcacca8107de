/** Conditions of statements that select workflows by patterns, such as `payments/*`. */
import { sessionWorkflow, workflowSelection } from '@baton/language';

/** SQL; undefined: the patterns match all. `bind`: adds a parameter and returns its name, such as `$1`. */
export function workflowCondition(
  column: string,
  patterns: readonly string[],
  bind: (value: unknown) => string,
): string | undefined {
  const selection = workflowSelection(patterns);
  if (selection === undefined) return undefined;
  const { names, starts, isDefaultProject } = selection;
  const [name] = names;
  const isOne = names.length === 1 && starts.length === 0;
  const alternatives = [isOne ? `${column} = ${bind(name)}` : `${column} = any(${bind(names)}::text[])`];
  // Names have none of the characters that `like` reads otherwise.
  if (starts.length > 0) alternatives.push(`${column} like any(${bind(starts.map((one) => `${one}%`))}::text[])`);
  if (isDefaultProject) alternatives.push(`${column} not like '%/%' and ${column} <> '${sessionWorkflow}'`);
  return alternatives.length === 1 ? alternatives[0] : `(${alternatives.join(' or ')})`;
}

interface WorkflowFilter {
  readonly in?: string[];
  readonly startsWith?: string;
  readonly not?: { readonly contains: string };
  readonly notIn?: string[];
}

/** For Prisma: one of them has to hold. Undefined: the patterns match all. */
export function workflowFilters(patterns: readonly string[]): WorkflowFilter[] | undefined {
  const selection = workflowSelection(patterns);
  return (
    selection && [
      { in: [...selection.names] },
      ...selection.starts.map((startsWith) => ({ startsWith })),
      ...(selection.isDefaultProject ? [{ not: { contains: '/' }, notIn: [sessionWorkflow] }] : []),
    ]
  );
}
