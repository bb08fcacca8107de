/** Turns the calls of a run into a workflow that makes the same calls, and lists what a person should check. */
import type { JsonObject, Workflow } from '@baton/language';
import { interpolated, member, parseWorkflow, printWorkflow } from '@baton/language';

import type { DraftStep, Learned } from './draft.ts';
import { freeId } from './draft.ts';
import { findLoop } from './findLoop.ts';
import { schemasOf } from './foundInputs.ts';
import { Learner } from './learner.ts';
import type { LeftOut } from './leaveOut.ts';
import { leaveOut } from './leaveOut.ts';
import { prove } from './prove.ts';
import type { SeenCall, SeenRun } from './seenCall.ts';
import { sourceOf } from './seenCall.ts';

export interface LearnOptions {
  /** Name of the workflow. */
  readonly name?: string;
  /** Values that never become inputs: paths in the configuration of the servers. */
  readonly constants?: readonly string[];
  /** Arguments with a fixed choice of values, as `server/tool argument`: their values never become inputs. */
  readonly choices?: ReadonlySet<string>;
  /** A person's answers by the id of the question: the number of the option. Absent: the likeliest. */
  readonly answers?: ReadonlyMap<string, number>;
  /** Called with the path of each call before it is examined, to report progress. */
  readonly onCall?: (path: string) => void;
}

/** Undefined if no call of the run succeeded. */
export function learn(run: SeenRun, options: LearnOptions = {}): Learned | undefined {
  const { name = 'learned', constants = [], choices = new Set(), answers = new Map(), onCall = () => {} } = options;
  const given: LearnSettings = { constants, choices, answers, onCall };
  const { kept, leftOut } = leaveOut(run.calls);
  const all: LeftOut[] = [...leftOut];
  let calls = kept;
  let learner = learnFrom(run, calls, given);
  for (let dead = deadIn(learner.drafts); dead.size > 0; dead = deadIn(learner.drafts)) {
    const why = 'nothing that follows reads its answer';
    all.push(...calls.filter((call) => dead.has(call)).map(({ path }) => ({ path, why })));
    calls = calls.filter((call) => !dead.has(call));
    learner = learnFrom(run, calls, given);
  }
  if (calls.length === 0) return undefined;
  return written(
    learner,
    calls,
    name,
    all.toSorted((a, b) => positionIn(run, a) - positionIn(run, b)),
  );
}

const positionIn = ({ calls }: SeenRun, { path }: LeftOut): number => calls.findIndex((call) => call.path === path);

type LearnSettings = Required<Omit<LearnOptions, 'name'>>;

function learnFrom(run: SeenRun, calls: readonly SeenCall[], { constants, ...given }: LearnSettings): Learner {
  const learner = new Learner({ run, constants: new Set(constants), ...given });
  learner.learn(calls, findLoop);
  return learner;
}

/** Look-ups whose answers nothing uses. In a session that only reads, the last one is its purpose, and stays. */
function deadIn(drafts: readonly DraftStep[]): ReadonlySet<SeenCall> {
  const last = drafts.every(({ isRead }) => isRead) ? drafts.at(-1) : undefined;
  const read = new Set<string>();
  const dead: SeenCall[] = [];
  // Backwards: a look-up that only dead look-ups read is dead too.
  for (const draft of drafts.toReversed()) {
    if (draft.isRead && draft !== last && !read.has(draft.id)) dead.push(...draft.calls);
    else for (const id of draft.reads) read.add(id);
  }
  return new Set(dead);
}

function written(learner: Learner, calls: readonly SeenCall[], name: string, leftOut: readonly LeftOut[]): Learned {
  const { drafts, inputs, ids } = learner;
  const samples = Object.fromEntries(learner.samples);
  const used = JSON.stringify(drafts.map(({ step }) => step));
  const needed = inputs.all.filter((one) => used.includes(member('inputs', one.name)));
  const last = drafts.at(-1);
  const workflow = {
    workflow: name,
    title: `Learned from a ${sourceOf(learner.options.run)}`,
    ...(needed.length === 0 ? {} : { inputs: schemasOf(needed) }),
    steps: grouped(drafts, ids),
    ...(last === undefined ? {} : { outputs: { result: interpolated(`${member('steps', last.id)}.output`) } }),
  } as unknown as Workflow;
  const source = withNotes(printWorkflow(workflow), drafts);
  const { workflow: read } = parseWorkflow(source);
  const differences = [{ path: '', message: 'what was learned is no workflow' }];
  const notes = drafts.flatMap(({ id, notes: own }) => own.map((note) => ({ step: id, note })));
  return {
    source,
    inputs: needed.map((one) => one.name),
    leftOut,
    questions: [...learner.questions.values()],
    notes,
    samples,
    replay: read === undefined ? { same: false, differences } : prove(read, calls, samples),
  };
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
