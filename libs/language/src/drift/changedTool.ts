import type { Problem } from '../problem.ts';
import type { OfferedTool } from '../servers/offer.ts';

/** A tool that has changed, as it was when the workflow was checked, and as it is now. */
export interface ChangedTool {
  readonly before: OfferedTool;
  readonly now: OfferedTool;
}

/** By `server/tool`. */
export type ChangedTools = ReadonlyMap<string, ChangedTool>;

/** Why nothing proves that the workflow can go on, and its place. */
export type Doubt = Pick<Problem, 'pointer' | 'within' | 'message'>;
