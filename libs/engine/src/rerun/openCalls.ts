/** Lists the calls that a rerun may make, because it keeps no outcome for them. */
import { type Block, type Plan, type Step, blocksInRole } from '@baton/language';
import type { Json } from '@baton/primitives';

import { type Path, framePrefix } from '../state/path.ts';

/** A call of the new run. */
export interface OpenCall {
  /** With `*` in the place of the number of an item or a round, where that is not known. */
  readonly path: Path;
  /** `server/tool` */
  readonly target: string;
  /** Undefined where they are not known before the run. */
  readonly arguments: Json | undefined;
}

/** A child run that the new run may request. */
interface OpenChild {
  readonly path: Path;
  readonly workflow: string;
  readonly version: number | undefined;
}

export interface OpenSteps {
  readonly calls: readonly OpenCall[];
  readonly children: readonly OpenChild[];
}

const anyItem = '*';

/** Handlers, undos and checks are left out: they run where their step fails again. */
export function openSteps(plan: Plan, isRepeated: (path: Path) => boolean): OpenSteps {
  const calls: OpenCall[] = [];
  const children: OpenChild[] = [];
  const visit = (step: Step, prefix: string): void => {
    const path = prefix + step.key;
    if (!isRepeated(path)) return;
    if (step.verb === 'tool') calls.push({ path, target: `${step.server}/${step.tool}`, arguments: undefined });
    if (step.verb === 'workflow') children.push({ path, workflow: step.workflow, version: step.version });
    const item = framePrefix(path, anyItem);
    const isDistributed = step.verb === 'forEach' && step.distribute;
    visitBlocks(blocksInRole(step, 'shared'), prefix);
    visitBlocks(blocksInRole(step, 'item'), isDistributed ? `${item}run>` : item);
    visitBlocks(blocksInRole(step, 'finally'), framePrefix(path, '@finally'));
  };
  const visitBlocks = (blocks: readonly Block[], prefix: string): void =>
    blocks.forEach(({ steps }) => steps.forEach((step) => visit(step, prefix)));
  visitBlocks([plan.steps], '');
  visitBlocks(plan.finally === undefined ? [] : [plan.finally], '@finally/');
  return { calls, children };
}

/** The path with the items of another path that lies in the same loops. */
export function withItemsOf(path: Path, other: Path): Path {
  const [segments, theirs] = [path.split('/'), other.split('/')];
  for (const [at, segment] of segments.entries()) {
    const theirSegment = theirs[at];
    if (theirSegment === undefined) break;
    if (segment === anyItem && /^\d+$/.test(theirSegment)) segments[at] = theirSegment;
    else if (segment !== theirSegment) break;
  }
  return segments.join('/');
}
