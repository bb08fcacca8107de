/** The text of a workflow as the client sent it. */
import type { Definition } from '@baton/store';

export interface WorkflowText {
  readonly format: Definition['format'];
  readonly text: string;
}
