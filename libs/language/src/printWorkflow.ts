import { hasInvisible, withEscapes } from '@baton/primitives';

import type { Workflow } from './document/workflow.ts';
import { printYaml } from './yaml/printYaml.ts';

/**
 * The workflow as YAML, formatted. Read again, it is the same workflow. Characters that a person does not see are written
 * as escapes, so that who reads the file knows of them.
 */
export const printWorkflow = (workflow: Workflow): string => withEscapes(printYaml(workflow, 120, hasInvisible));
