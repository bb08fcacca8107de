/**
 * Names of workflows are paths: `payments/eu/refunds`. The first part is the project; names without a slash are in the
 * project `default`. Keys, secrets, servers and filters take patterns of such names.
 */
import { quoted } from '@baton/expressions';

const part = '[a-z0-9][a-z0-9-]{0,62}';

const partForm = 'lower case letters, digits and hyphens, at most 63, the first not a hyphen';

const partsMax = 4;

/** A regular expression without anchors. */
export const workflowNameSource = `${part}(?:/${part}){0,${partsMax - 1}}`;

export const workflowNameForm = `one to ${partsMax} parts with slashes between them, as in payments/refunds; each part: ${partForm}`;

/** Of a name that is one part: hooks and schedules of a workflow. */
export const namePartPattern = new RegExp(`^${part}$`);

export { partForm as namePartForm };

export const workflowNamePattern = new RegExp(`^${workflowNameSource}$`);

/**
 * The workflow of every session at the gateway: a key that may see a workflow of that name would see the sessions of
 * others.
 */
export const sessionWorkflow = 'session';

const defaultProject = 'default';

export const projectOf = (workflow: string): string => {
  const [project = '', ...others] = workflow.split('/');
  return others.length === 0 ? defaultProject : project;
};

/** Where a text, in YAML or JSON, names its workflow; found without reading it, also in a text that is broken. */
const nameLine = /^[\s{]*["']?workflow["']?\s*:\s*["']?([\w/-]+)/m;

export const workflowNamedIn = (text: string): string | undefined => nameLine.exec(text)?.[1];

/** What MCP clients call a workflow whose trigger names no tool. Tool names have no slashes, and workflows no underscores. */
export const defaultToolName = (workflow: string): string => workflow.replaceAll('/', '_');

/** The workflow that has this tool name by default, if there is one. */
export const workflowOfToolName = (tool: string): string => tool.replaceAll('_', '/');

/** A pattern of workflows: `*`, a name, or the start of names, as in `payments/*`. */
const allPattern = '*';

export const workflowPatternPattern = new RegExp(
  `^(?:\\*|${workflowNameSource}|${part}(?:/${part}){0,${partsMax - 2}}/\\*)$`,
);

export const isWorkflowPattern = (text: string): boolean => workflowPatternPattern.test(text);

export const workflowPatternForm = 'the name of a workflow, a project as in payments/*, or * for all';

/** A sentence: why the text is no pattern, with the nearest that is. Undefined: it is a pattern. */
export function workflowPatternFault(text: string): string | undefined {
  if (isWorkflowPattern(text)) return undefined;
  const near = nearestPattern(text);
  return `${quoted(text)} is no pattern of workflows: expected ${workflowPatternForm}${near === undefined ? '' : `; did you mean ${quoted(near)}?`}`;
}

function nearestPattern(text: string): string | undefined {
  const path = text.toLowerCase().replaceAll(/[\s_.:\\]+/g, '-');
  const [start = ''] = path.split('*');
  const parts = start.split('/').filter((one) => one !== '');
  const near = path.includes('*') || path.endsWith('/') ? [...parts, allPattern].join('/') : parts.join('/');
  return isWorkflowPattern(near) ? near : undefined;
}

/** What patterns match, for a query. */
export interface WorkflowSelection {
  readonly names: readonly string[];
  /** Starts of names, each with a slash at its end. */
  readonly starts: readonly string[];
  /** Also names without a slash, but not that of sessions. */
  readonly isDefaultProject: boolean;
}

/** Undefined: the patterns match all. */
export function workflowSelection(patterns: Iterable<string>): WorkflowSelection | undefined {
  const all = [...patterns];
  if (all.includes(allPattern)) return undefined;
  const starts = all.filter((one) => one.endsWith('/*')).map((one) => one.slice(0, -1));
  return {
    names: all.filter((one) => !one.endsWith('/*')),
    starts,
    isDefaultProject: starts.includes(`${defaultProject}/`),
  };
}

/** Whether the patterns match all that the other pattern matches. */
export const coversPattern = (patterns: Iterable<string>, other: string): boolean =>
  other === allPattern ? workflowSelection(patterns) === undefined : matchesWorkflow(patterns, other);

/** Whether one of the patterns matches the workflow. Only `*` and the name itself match that of sessions. */
export function matchesWorkflow(patterns: Iterable<string>, workflow: string): boolean {
  const selection = workflowSelection(patterns);
  if (selection === undefined) return true;
  const { names, starts, isDefaultProject } = selection;
  return (
    names.includes(workflow) ||
    starts.some((start) => workflow.startsWith(start)) ||
    (isDefaultProject && !workflow.includes('/') && workflow !== sessionWorkflow)
  );
}
