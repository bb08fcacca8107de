/** Turns the calls of a run into a workflow that makes the same calls, and lists what a person should check. */
import { interpolated, member } from '@baton/expressions';
import { type Workflow, parseWorkflow, printWorkflow } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';

import { type DraftStep, type Learned, freeId } from './draft.ts';
import { findLoop } from './findLoop.ts';
import { findRepeat } from './findRepeat.ts';
import { schemasOf } from './foundInputs.ts';
import { Learner } from './learner.ts';
import { type LeftOut, leaveOut } from './leaveOut.ts';
import { askAboutLookUp, keepsLookUp, textOptionsOf } from './lookUps.ts';
import { prove } from './prove.ts';
import { readBackIn } from './readBack.ts';
import { pagesTogether } from './rounds.ts';
import { type SeenCall, type SeenRun, sourceOf } from './seenCall.ts';

export interface LearnOptions {
  /** Name of the workflow. */
  readonly name?: string;
  /** Values that never become inputs: paths in the configuration of the servers. */
  readonly constants?: readonly string[];
  /** Arguments with a fixed choice of values, as `server/tool argument`: their values never become inputs. */
  readonly choices?: ReadonlySet<string>;
  /** The input schemas of tools, by `server/tool`, for the types of inputs. */
  readonly schemas?: ReadonlyMap<string, Json>;
  /** A person's answers by the id of the question: the number of the option. Absent: the likeliest. */
  readonly answers?: ReadonlyMap<string, number>;
  /** Called with the path of each call before it is examined, to report progress. */
  readonly onCall?: (path: string) => void;
}

/** Undefined if no call of the run succeeded. */
export function learn(run: SeenRun, options: LearnOptions = {}): Learned | undefined {
  const { name = 'learned', constants = [], choices = new Set(), schemas = new Map(), answers = new Map() } = options;
  const { onCall = () => {} } = options;
  const given: LearnSettings = { constants, choices, schemas, answers, onCall };
  const { kept, leftOut } = leaveOut(run.calls);
  const calls = pagesTogether(kept);
  const first = learnFrom(run, calls, given, new Map());
  const texts = new Map(
    deadIn(first.drafts).flatMap((dead): [string, readonly string[]][] =>
      dead.calls.map(({ path }) => [path, textOptionsOf(dead, first, calls)]),
    ),
  );
  const settled = withoutDead(run, calls, given, texts);
  if (settled === undefined) return undefined;
  noteMoved(settled.learner, kept);
  const all = [...leftOut, ...settled.leftOut].toSorted((a, b) => positionIn(run, a) - positionIn(run, b));
  return written(settled, name, all);
}

/** Pages that the session read after it had written something are read before that. */
function noteMoved({ drafts }: Learner, order: readonly SeenCall[]): void {
  for (const [at, draft] of drafts.entries()) {
    if (draft.step['repeat'] === undefined) continue;
    const [from = 0, to = 0] = [draft.calls[0], draft.calls.at(-1)].map((call) =>
      order.findIndex((one) => one === call),
    );
    const between = order.slice(from, to).filter(({ effect }) => effect !== 'read').length;
    const note = `look: the session made ${between} other calls between the pages, which come after them here`;
    if (between > 0) drafts[at] = { ...draft, notes: [...draft.notes, note] };
  }
}

interface SettledCalls {
  readonly learner: Learner;
  readonly readBack: ReturnType<typeof readBackIn>;
  readonly calls: readonly SeenCall[];
  readonly leftOut: readonly LeftOut[];
}

/** Leaves out look-ups that nothing reads, and that a person does not keep, until there is none. */
function withoutDead(
  run: SeenRun,
  all: readonly SeenCall[],
  given: LearnSettings,
  texts: ReadonlyMap<string, readonly string[]>,
): SettledCalls | undefined {
  const leftOut: LeftOut[] = [];
  const questions: Learned['questions'][number][] = [];
  let calls = all;
  for (;;) {
    const learner = learnFrom(run, calls, given, texts);
    const isAsked = (draft: DraftStep): boolean => hasWriteAfter(draft, learner.drafts);
    const nowhereRead = deadIn(learner.drafts);
    const readBack = nowhereRead.some((draft) => draft === learner.drafts.at(-1)) ? readBackIn(learner) : undefined;
    const needed = new Set(readBack?.draft.reads);
    const dead = nowhereRead.filter((draft) => {
      if (draft === readBack?.draft || needed.has(draft.id)) return false;
      if (!isAsked(draft)) return true;
      const own = texts.get(draft.calls[0]?.path ?? '') ?? [];
      return askAboutLookUp(draft, learner, own) !== keepsLookUp;
    });
    const unused = calls.filter(({ failure, path }) => failure !== undefined && !isDrafted(learner, path));
    questions.push(...learner.questions.values());
    if (dead.length === 0 && unused.length === 0) {
      for (const question of questions)
        if (!learner.questions.has(question.id)) learner.questions.set(question.id, question);
      return calls.length === 0 ? undefined : { learner, readBack, calls, leftOut };
    }
    const gone = new Set(dead.flatMap((draft) => draft.calls));
    leftOut.push(...[...gone].map(({ path }) => ({ path, why: 'nothing that follows reads its answer' })));
    leftOut.push(...unused.map(({ path, failure }) => ({ path, why: `it failed (${failure?.code ?? ''})` })));
    calls = calls.filter((call) => !gone.has(call) && !unused.includes(call));
  }
}

const isDrafted = ({ drafts }: Learner, path: string): boolean =>
  drafts.some(({ calls }) => calls.some((call) => call.path === path));

function hasWriteAfter(draft: DraftStep, drafts: readonly DraftStep[]): boolean {
  return drafts.slice(drafts.indexOf(draft) + 1).some(({ isRead, calls }) => !isRead && calls.length > 0);
}

const positionIn = ({ calls }: SeenRun, { path }: LeftOut): number => calls.findIndex((call) => call.path === path);

type LearnSettings = Required<Omit<LearnOptions, 'name'>>;

function learnFrom(
  run: SeenRun,
  calls: readonly SeenCall[],
  { constants, ...given }: LearnSettings,
  textOptions: ReadonlyMap<string, readonly string[]>,
): Learner {
  const learner = new Learner({ run, constants: new Set(constants), textOptions, ...given });
  learner.learn(calls, [findRepeat, findLoop]);
  return learner;
}

/** Look-ups whose answers nothing uses. In a session that only reads, the last one is its purpose, and stays. */
function deadIn(drafts: readonly DraftStep[]): readonly DraftStep[] {
  const last = drafts.every(({ isRead }) => isRead) ? drafts.at(-1) : undefined;
  const read = new Set<string>();
  const dead: DraftStep[] = [];
  // Backwards: a look-up that only dead look-ups read is dead too.
  for (const draft of drafts.toReversed()) {
    if (draft.isRead && draft !== last && !read.has(draft.id)) dead.push(draft);
    else for (const id of draft.reads) read.add(id);
  }
  return dead.filter(({ calls }) => calls.length > 0);
}

function written({ learner, readBack, calls }: SettledCalls, name: string, leftOut: readonly LeftOut[]): Learned {
  const { inputs, ids } = learner;
  const drafts = learner.drafts.filter((draft) => draft !== readBack?.draft);
  const samples = Object.fromEntries(learner.samples);
  const used = JSON.stringify(learner.drafts.map(({ step }) => step));
  const needed = inputs.all.filter((one) => used.includes(member('inputs', one.name)));
  const values: JsonObject = Object.fromEntries(needed.map((one) => [one.name, one.value]));
  const last = drafts.at(-1);
  const writes = drafts.some(({ isRead, calls: own }) => !isRead && own.length > 0);
  const workflow = {
    workflow: name,
    title: `Learned from a ${sourceOf(learner.options.run)}`,
    ...(needed.length === 0 ? {} : { inputs: schemasOf(needed, writes) }),
    steps: grouped(drafts, ids),
    ...(readBack === undefined ? {} : { ensure: [readBack.ensure] }),
    ...(last === undefined ? {} : { outputs: { result: interpolated(outputOf(last)) } }),
  } as unknown as Workflow;
  const printed = printWorkflow(workflow);
  const source = withNotes(
    readBack === undefined ? printed : printed.replace(/^ensure:$/m, `# ${ensureNote}\n$&`),
    drafts,
  );
  const asTried = ({ refusals, ...call }: SeenCall): SeenCall =>
    refusals === undefined || learner.unretried.has(call.path) ? call : { ...call, refusals };
  const { workflow: read } = parseWorkflow(source);
  const differences = [{ path: '', message: 'what was learned is no workflow' }];
  const notes = learner.drafts.flatMap(({ id, notes: own }) => own.map((note) => ({ step: id, note })));
  if (readBack !== undefined) notes.push({ step: 'ensure', note: ensureNote });
  return {
    source,
    inputs: needed.map((one) => one.name),
    values,
    leftOut,
    questions: [...learner.questions.values()],
    notes,
    samples,
    replay: read === undefined ? { same: false, differences } : prove(read, calls.map(asTried), samples, values),
  };
}

const ensureNote = 'look: the session ended by reading what it had written; `within: 1m` gives it time to become true';

/** Of a `repeat`, the last round. */
function outputOf({ id, step }: DraftStep): string {
  const repeat = step['repeat'] as { readonly steps: readonly JsonObject[] } | undefined;
  const inner = repeat?.steps.at(-1)?.['id'];
  return typeof inner === 'string' ? `${member('steps', id)}.steps.${inner}.output` : `${member('steps', id)}.output`;
}

/** Groups look-ups that do not read each other into a `parallel`. */
function grouped(drafts: readonly DraftStep[], ids: Set<string>): readonly JsonObject[] {
  const steps: JsonObject[] = [];
  let group: DraftStep[] = [];
  const close = (): void => {
    const own = group.map(({ step }) => step);
    steps.push(...(own.length < 2 ? own : [{ id: freeId(ids, 'together'), parallel: own }]));
    group = [];
  };
  for (const draft of drafts) {
    const isAlone = !draft.isRead || draft.isLoop || draft.calls.length === 0;
    if (isAlone || group.some(({ id }) => draft.reads.has(id))) close();
    if (isAlone) steps.push(draft.step);
    else group.push(draft);
  }
  close();
  return steps;
}

/** Inserts the notes as comments above their steps. */
function withNotes(source: string, drafts: readonly DraftStep[]): string {
  const notes = new Map(drafts.map(({ id, notes: own }) => [id, own]));
  return source
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', id = ''] = /^(\s*)- id: (\S+)$/.exec(line) ?? [];
      return [...(notes.get(id) ?? []).map((note) => `${indent}# ${note}`), line];
    })
    .join('\n');
}
