import { stringify } from 'yaml';

import type { Workflow } from './document/workflow.ts';

/** The workflow as YAML, formatted. Read again, it is the same workflow. */
export function printWorkflow(workflow: Workflow): string {
  return stringify(workflow, { version: '1.2', aliasDuplicateObjects: false, lineWidth: 120 });
}
