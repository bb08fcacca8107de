import { hasInvisible, withEscapes } from '@baton/primitives';
import { Document, Scalar, visit } from 'yaml';

import type { Workflow } from './document/workflow.ts';

/**
 * The workflow as YAML, formatted. Read again, it is the same workflow. Characters that a person does not see are written
 * as escapes, so that who reads the file knows of them.
 */
export function printWorkflow(workflow: Workflow): string {
  const document = new Document(workflow, { version: '1.2', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar) {
      // Only between double quotes does YAML know escapes.
      if (typeof scalar.value === 'string' && hasInvisible(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return withEscapes(document.toString({ lineWidth: 120 }));
}
