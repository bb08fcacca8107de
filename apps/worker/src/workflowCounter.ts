/**
 * Counts ends of runs by workflow. A label has the name of a deployed workflow, which a person wrote, and no more names than
 * a Prometheus can bear.
 */
interface EndedRun {
  readonly workflow: string;
  readonly status: string;
  /** An inline workflow has a name that its caller made up. */
  readonly isDeployed: boolean;
}

const namesMax = 200;
/** A name that no workflow can have. */
const otherWorkflows = '(others)';

/** `count`: adds one for these labels. The first names that end get a label of their own; inline workflows share one. */
export function workflowCounter(count: (labels: Omit<EndedRun, 'isDeployed'>) => void): (ended: EndedRun) => void {
  const names = new Set<string>();
  return ({ workflow, status, isDeployed }) => {
    const isNamed = isDeployed && (names.has(workflow) || names.size < namesMax);
    if (isNamed) names.add(workflow);
    count({ workflow: isNamed ? workflow : otherWorkflows, status });
  };
}
