/** The text of a workflow, as it was sent. */
import type { Definition } from '@baton/store';

export interface WorkflowText {
  readonly format: Definition['format'];
  readonly text: string;
}
