/**
 * Warns if text that a server, an event or a model wrote, which may contain instructions, reaches a destructive `write`
 * of another server without an `ask` in between.
 *
 * Conservative: an expression that reads such a step and may result in free text passes its text on. Numbers, booleans
 * and texts of a fixed list pass nothing on. A tool's answer counts as its own text, also if it repeats its arguments.
 */
import { SyntaxProblem, type CompiledSource, compileSource, type Type, quoted, either } from '@baton/expressions';

import { type PlacedStep, casesOf, handlersOf, placed, undoOf } from '../document/inner.ts';
import { type StepDocument, isGroup } from '../document/step.ts';
import type { TriggerDocument } from '../document/triggers.ts';
import type { Workflow } from '../document/workflow.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import type { FreeText, CheckRun } from './checkRun.ts';
import { LayeredMap } from './layeredMap.ts';

/** Whether a value of the type may hold free text. */
export function mayHoldFreeText(type: Type): boolean {
  switch (type.kind) {
    case 'any':
    case 'bytes':
      return true;
    case 'text':
      return type.values === undefined;
    case 'list':
    case 'optional':
      return mayHoldFreeText(type.of);
    case 'union':
      return type.of.some(mayHoldFreeText);
    case 'map':
      return (
        (type.rest !== undefined && mayHoldFreeText(type.rest)) ||
        type.fields.values().some((one) => mayHoldFreeText(one.type))
      );
    default:
      return false;
  }
}

/** Who wrote a text: `the server "github"`, `a model`. */
type TextOrigins = ReadonlySet<string>;

/** The origins of the text that a step can read. */
interface TextFlow {
  readonly steps: ReadonlyMap<string, TextOrigins>;
  readonly names: ReadonlyMap<string, TextOrigins>;
  /** Ids of questions that may not have been asked: they protect only steps that read or need them. */
  readonly questions: ReadonlySet<string>;
}

/** Effects of tools by the pointer of the call; only destructive ones matter. */
interface TextWalk {
  readonly checking: CheckRun;
  readonly notes: ReadonlyMap<string, readonly FreeText[]>;
  readonly inputs: ReadonlyMap<string, TextOrigins>;
}

const noOrigins: TextOrigins = new Set();

export function checkTextFlow(checking: CheckRun, workflow: Workflow): void {
  const notes = notesByStep(checking);
  const walk: TextWalk = { checking, notes, inputs: inputsOfEvents(checking, workflow) };
  const flow: TextFlow = { steps: new Map(), names: new Map(), questions: new Set() };
  const after = walkBlock(walk, placed(workflow.steps, '/steps'), flow);
  walkBlock(walk, placed(workflow.onFailure ?? [], '/onFailure'), after);
  walkBlock(walk, placed(workflow.finally ?? [], '/finally'), after);
}

/** By the pointer of the innermost step around each note. */
function notesByStep({ index, freeTexts }: CheckRun): Map<string, FreeText[]> {
  const steps = new Set(index.all.map(({ pointer }) => pointer));
  return Map.groupBy(freeTexts, ({ pointer }) => {
    let at = pointer;
    while (at !== '' && !steps.has(at)) at = at.slice(0, at.lastIndexOf('/'));
    return at;
  });
}

/** Inputs that a trigger fills with text from outside. */
function inputsOfEvents({ freeTexts }: CheckRun, { on }: Workflow): Map<string, TextOrigins> {
  const found = new Map<string, TextOrigins>();
  for (const { pointer, compiled } of freeTexts) {
    const [, place, i, key, name] = pointer.split('/');
    const trigger = place === 'on' ? on?.[Number(i)] : undefined;
    const origin = trigger && originOf(trigger);
    if (origin === undefined || key !== 'inputs' || name === undefined || !readsEvent(compiled)) continue;
    found.set(name, new Set([...(found.get(name) ?? []), origin]));
  }
  return found;
}

/** What a trigger reads from outside, by the names of all kinds of triggers. */
const readsEvent = ({ reading }: CompiledSource): boolean =>
  ['event', 'item', 'items', 'result'].some((name) => reading.names.has(name));

function originOf(trigger: TriggerDocument): string | undefined {
  if ('webhook' in trigger) return `the webhook ${quoted(trigger.webhook)}`;
  if ('resource' in trigger) return `the server ${quoted(trigger.resource)}`;
  if ('run' in trigger) return 'other runs';
  if ('poll' in trigger) return serverNamed(trigger.poll);
  if ('event' in trigger) return serverNamed(trigger.event);
  return 'device' in trigger ? 'a device' : undefined;
}

const walkBlock = (walk: TextWalk, steps: readonly PlacedStep[], flow: TextFlow): TextFlow =>
  steps.reduce((before, one) => walkStep(walk, one, before), flow);

function walkStep(walk: TextWalk, one: PlacedStep, before: TextFlow): TextFlow {
  const { step, pointer } = one;
  const isAnswered = readIn(step.if).some((id) => before.questions.has(id)) || asksFor(step.needs, before);
  const flow = isAnswered ? afterQuestion(before) : before;
  if ('tool' in step) checkCall(walk, step, pointer, flow);
  const inside = walkInside(walk, one, flow);
  const succeeded = withResult(walk, one, inside);
  const handled = handlersOf(step, pointer).map(({ steps }) => walkBlock(walk, steps, succeeded));
  const after = handled.reduce((known, handler) => withHandler(one, known, handler), succeeded);
  walkBlock(walk, undoOf(step, pointer) ?? [], after);
  if (isAnswered) return { ...before, steps: after.steps };
  // A question on one branch protects only the steps that read its answer.
  if (step.if === undefined) return after;
  const steps = new Map([...after.steps].map(([id, origins]) => [id, union(origins, before.steps.get(id))]));
  return { ...before, steps, questions: questionsOf(one, after.questions) };
}

/** A handler's step with the id of the failed step replaces it. */
function withHandler({ step: { id } }: PlacedStep, known: TextFlow, handler: TextFlow): TextFlow {
  if (id === undefined) return known;
  const origins = union(known.steps.get(id) ?? noOrigins, handler.steps.get(id));
  return withOrigins(known, id, origins);
}

const asksFor = (needs: readonly string[] | undefined, { questions }: TextFlow): boolean =>
  needs?.some((id) => questions.has(id)) === true;

const union = (a: TextOrigins, b: TextOrigins = noOrigins): TextOrigins => new Set([...a, ...b]);

const questionsOf = ({ step }: PlacedStep, known: ReadonlySet<string>): ReadonlySet<string> =>
  'ask' in step && step.id !== undefined ? new Set([...known, step.id]) : known;

/** A person has read the text so far: its origins no longer matter. */
const afterQuestion = (flow: TextFlow): TextFlow => ({
  ...flow,
  steps: new Map(flow.steps.keys().map((id) => [id, noOrigins])),
  names: new Map(flow.names.keys().map((name) => [name, noOrigins])),
});

/** Walks the lists inside a step; returns what is known after them. */
function walkInside(walk: TextWalk, { step, pointer }: PlacedStep, flow: TextFlow): TextFlow {
  if ('parallel' in step) {
    const children = placed(step.parallel, `${pointer}/parallel`);
    const each = children.map((child) => walkStep(walk, child, { ...flow, questions: questionsAmong(children) }));
    const joined = each.reduce(join, flow);
    return children.some(isQuestion) ? afterQuestion(joined) : joined;
  }
  if ('switch' in step) {
    const each = casesOf(step, pointer).map((one) => walkBlock(walk, placed(one.steps, one.pointer), flow));
    return each.reduce(join, flow);
  }
  if ('forEach' in step) {
    const item = originsAt(walk, flow, pointer, 'forEach');
    const names = new Map([...flow.names, [step.as ?? 'item', item]]);
    const body = walkBlock(walk, placed(step.steps, `${pointer}/steps`), { ...flow, names });
    return { ...body, names: flow.names };
  }
  if (isGroup(step)) {
    const after = walkBlock(walk, placed(step.steps, `${pointer}/steps`), flow);
    walkBlock(walk, placed(step.finally ?? [], `${pointer}/finally`), join(flow, after));
    return after;
  }
  if ('repeat' in step) return walkBlock(walk, placed(step.repeat.steps, `${pointer}/repeat/steps`), flow);
  return 'ask' in step && step.if === undefined ? afterQuestion(flow) : flow;
}

const isQuestion = ({ step }: PlacedStep): boolean => 'ask' in step && step.if === undefined;

const questionsAmong = (steps: readonly PlacedStep[]): Set<string> =>
  new Set(steps.flatMap((one) => (isQuestion(one) && one.step.id !== undefined ? [one.step.id] : [])));

/** Joins what is known after one of several lists, or after all of them. */
function join(a: TextFlow, b: TextFlow): TextFlow {
  const steps = new Map(
    [...a.steps, ...b.steps].map(([id]) => [id, union(a.steps.get(id) ?? noOrigins, b.steps.get(id))]),
  );
  return { ...a, steps, questions: new Set([...a.questions, ...b.questions]) };
}

/** The flow with the step's own result. */
function withResult(walk: TextWalk, { step, pointer }: PlacedStep, flow: TextFlow): TextFlow {
  if (step.id === undefined) return flow;
  return withOrigins(flow, step.id, originsOfResult(walk, step, pointer, flow));
}

const withOrigins = (flow: TextFlow, id: string, origins: TextOrigins): TextFlow => ({
  ...flow,
  steps: new LayeredMap(flow.steps, new Map([[id, origins]])),
});

/** The origins of the step's result. */
function originsOfResult(walk: TextWalk, step: StepDocument, pointer: string, flow: TextFlow): TextOrigins {
  if ('tool' in step) return new Set([serverNamed(step.tool)]);
  if ('prompt' in step) return new Set([serverNamed(step.prompt)]);
  if ('resource' in step) return new Set([serverNamed(step.resource)]);
  if ('sample' in step) return new Set(['a model']);
  if ('set' in step) return originsAt(walk, flow, pointer, 'set');
  if ('workflow' in step) return originsAt(walk, flow, pointer, 'with');
  if ('forEach' in step) return originsAt(walk, flow, pointer, 'collect');
  if ('parallel' in step)
    return step.parallel.reduce(
      (all, one, i) => union(all, originsOfResult(walk, one, `${pointer}/parallel/${i}`, flow)),
      noOrigins,
    );
  const last = isGroup(step) ? step.steps.at(-1) : undefined;
  if (isGroup(step) && last !== undefined)
    return originsOfResult(walk, last, `${pointer}/steps/${step.steps.length - 1}`, flow);
  if ('repeat' in step)
    return placed(step.repeat.steps, '').reduce((all, one) => union(all, flow.steps.get(one.step.id ?? '')), noOrigins);
  return noOrigins;
}

const serverNamed = (target: string): string => `the server ${quoted(splitTarget(target)[0])}`;

/** The origins of the text that expressions under a key of the step pass on. */
function originsAt(walk: TextWalk, flow: TextFlow, step: string, key: string): TextOrigins {
  const at = `${step}/${key}`;
  const notes = (walk.notes.get(step) ?? []).filter(({ pointer }) => pointer === at || pointer.startsWith(`${at}/`));
  return notes.reduce((all, { compiled }) => union(all, originsOfReads(walk, flow, compiled)), noOrigins);
}

/** The origins of the texts that an expression reads. */
function originsOfReads({ inputs }: TextWalk, { steps, names }: TextFlow, { reading }: CompiledSource): TextOrigins {
  const ofSteps = reading.members.map(({ of, name }) => (of === 'steps' ? steps.get(name ?? '') : undefined));
  const ofNames = [...reading.names].map((name) => names.get(name));
  const inputsRead = [...(reading.inputs ?? inputs.keys())];
  return [...ofSteps, ...ofNames, ...inputsRead.map((name) => inputs.get(name))].reduce<TextOrigins>(
    (all, one) => union(all, one),
    noOrigins,
  );
}

/** Ids of steps that a condition reads. */
function readIn(condition: string | boolean | undefined): readonly string[] {
  if (typeof condition !== 'string') return [];
  try {
    return compileSource(condition).reading.members.flatMap(({ of, name }) =>
      of === 'steps' && name !== undefined ? [name] : [],
    );
  } catch (error) {
    if (error instanceof SyntaxProblem) return [];
    throw error;
  }
}

function checkCall(
  walk: TextWalk,
  step: Extract<StepDocument, { tool: string }>,
  pointer: string,
  flow: TextFlow,
): void {
  const { checking, notes } = walk;
  if (!checking.destructive.has(pointer)) return;
  for (const { pointer: at, within, compiled } of notes.get(pointer) ?? []) {
    if (at !== `${pointer}/with` && !at.startsWith(`${pointer}/with/`)) continue;
    const others = [...originsOfReads(walk, flow, compiled)].filter((one) => one !== serverNamed(step.tool));
    if (others.length === 0) continue;
    const whose = either(others, 'and');
    const message = `Words of ${whose} reach ${quoted(step.tool)}, which may destroy something, and no person is asked before.`;
    const hint =
      'put an `ask` between, or take numbers and values out of a list (`enum`) only; if the tool only reads, `effect: read` says so';
    checking.report({ code: 'words-reach-write', pointer: at, within: [...within], message, hint });
    // One finding for each call is enough.
    return;
  }
}
