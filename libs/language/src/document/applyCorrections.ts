/**
 * Corrects a broken document as its author most likely meant it, so that the inside of a broken part is checked too:
 * correcting a verb should not reveal the next mistakes.
 */
import { segmentsOf } from '@baton/expressions';
import type { Json } from '@baton/primitives';

import type { Problem } from '../problem.ts';
import { type Autocorrection, type PointerMove, autocorrect } from './autocorrect.ts';
import { explainIssues } from './explain.ts';
import { isPlainVerb } from './explainUnknownKey.ts';
import { verbs } from './step.ts';
import { type Mutable, innermostStep } from './tree.ts';
import { WorkflowSchema } from './workflow.ts';

export interface CorrectedDocument {
  readonly document: Json;
  /** Its remaining schema problems, by its own pointers. */
  readonly left: readonly Problem[];
  /** All problems to report, by pointers into the author's text. */
  readonly problems: readonly Problem[];
  /** Pointers of steps whose results have unknown types. */
  readonly untyped: ReadonlySet<string>;
  /** The pointer in the author's text for a pointer in the corrected document. */
  readonly written: (pointer: string) => string;
}

/** Corrects mistakes inside mistakes to this depth. */
const roundsMax = 8;
/** Explains at most this many issues; the nearest fifty are reported. */
const issuesMax = 200;

export function applyCorrections(document: Json): CorrectedDocument {
  const root = structuredClone(document) as Mutable;
  const mended: Autocorrection[] = [];
  const moves: PointerMove[] = [];
  const written = (pointer: string): string => moves.reduceRight(back, pointer);
  let left = problemsOf(root);
  const problems = [...left];
  for (let round = 0; round < roundsMax; round++) {
    const now = left.flatMap((problem) => autocorrect(root, problem) ?? []);
    if (now.length === 0) break;
    mended.push(...now);
    moves.push(...now.flatMap((one) => one.moves));
    left = problemsOf(root);
    const sure = left.filter(
      (problem) =>
        !mended.some(
          ({ loose, guessed }) => problem.pointer === guessed || (loose !== undefined && isGuess(problem, loose)),
        ),
    );
    problems.push(...sure.map((problem) => ({ ...problem, pointer: written(problem.pointer) })));
  }
  const untyped = new Set(mended.flatMap((one) => one.untyped ?? []));
  return { document: root, left, problems: withoutFollowing(problems), untyped, written };
}

function problemsOf(root: Mutable): Problem[] {
  const { error } = WorkflowSchema.safeParse(root);
  return error === undefined ? [] : explainIssues(root, error.issues.slice(0, issuesMax));
}

const back = (pointer: string, { to, from }: PointerMove): string =>
  pointer === to || pointer.startsWith(`${to}/`) ? from + pointer.slice(to.length) : pointer;

/**
 * True if the problem may come from the syntax of another tool whose keyword the author used. The steps inside are
 * checked normally.
 */
function isGuess({ code, pointer, meant }: Problem, loose: string): boolean {
  const step = stepOf(loose);
  if (meant !== undefined || stepOf(pointer) !== step) return false;
  if (pointer === loose || pointer.startsWith(`${loose}/`)) return true;
  return step !== '' && verbs.some((verb) => loose === `${step}/${verb}`) && aboutVerb.has(code);
}

/** Problems that depend on the verb. */
const aboutVerb = new Set<string>(['missing-key', 'unknown-key', 'key-not-for-verb']);

function stepOf(pointer: string): string {
  const depth = innermostStep(segmentsOf(pointer)) ?? -1;
  return pointer
    .split('/')
    .slice(0, depth + 2)
    .join('/');
}

/** Drops a missing key that follows from a misspelt one, and the further keys of a step that belongs into `steps`. */
function withoutFollowing(problems: readonly Problem[]): Problem[] {
  const slips = new Set(
    problems.flatMap(({ pointer, meant }) => (meant === undefined ? [] : `${parentOf(pointer)} ${meant}`)),
  );
  const isStepInCase = ({ pointer, meant }: Problem): boolean => meant === 'steps' && isPlainVerb(keyOf(pointer));
  const cases = new Map(problems.filter(isStepInCase).map((one) => [parentOf(one.pointer), one]));
  return problems.filter((problem) => {
    const { code, pointer, expected } = problem;
    if (code === 'missing-key') return !slips.has(`${pointer} ${expected}`);
    const moved = code === 'unknown-key' ? cases.get(parentOf(pointer)) : undefined;
    return moved === undefined || moved === problem || moved.expected !== expected;
  });
}

const keyOf = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);
const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));
