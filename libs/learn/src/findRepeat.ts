/** Folds rounds into a `repeat`: the pages of a list, which are put together, and polls until the answer is another. */
import { interpolated, literal, member } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';

import { type DraftStep, freeId } from './draft.ts';
import type { Learner } from './learner.ts';
import { type Place, placesIn, placesOfStep } from './places.ts';
import { explanations } from './predicate.ts';
import { type PageStep, listsIn, outputOf, pagesIn, pollsIn, valueAt } from './rounds.ts';
import type { SeenCall } from './seenCall.ts';

/** The `repeat` that the calls begin with, if there is one. */
export function findRepeat(learner: Learner, calls: readonly SeenCall[]): DraftStep | undefined {
  const pages = pagesIn(calls);
  if (pages !== undefined) return paging(learner, calls.slice(0, pages.count), pages.step);
  const polls = pollsIn(calls);
  return polls === 0 ? undefined : polling(learner, calls.slice(0, polls));
}

/** Rounds of which a workflow makes at most so many. */
const pagesMax = 100;
const pollsMax = 60;

const optional = (base: string, path: readonly string[]): string =>
  path.reduce((of, key) => (/^\w+$/.test(key) ? `${of}.?${key}` : `${of}[?${literal(key)}]`), base);

function paging(learner: Learner, calls: readonly SeenCall[], step: PageStep): DraftStep | undefined {
  const [first] = calls;
  if (first === undefined) return undefined;
  const id = freeId(learner.ids, `pages_of_${first.name}`);
  const page = freeId(learner.ids, first.name);
  const { [step.argument]: start, ...others } = first.arguments;
  const drafted = learner.draftCall(
    { ...withRefusals(calls), arguments: others },
    { id: page, places: learner.places(), prefix: `${id}/0/` },
  );
  const [call = {}] = drafted.steps.slice(-1);
  if (drafted.steps.length > 1) return undefined;
  const given = call['with'] as JsonObject | undefined;
  const argument = interpolated(argumentOf(step, { id, page, start, learner, tool: first.name }));
  const outputs = calls.map(outputOf);
  const all = freeId(learner.ids, 'all');
  const { sets, places } = gathered(learner, { id, page, all, outputs });
  const until = endOf(learner, calls, step, page);
  const steps: JsonObject[] = [{ ...call, with: { ...given, [step.argument]: argument } }];
  if (Object.keys(sets).length > 0) steps.push({ id: all, set: namedAs(all, sets, id) });
  const last = calls.at(-1);
  return {
    id,
    step: { id, repeat: { max: pagesMax, until: until.condition, steps } },
    calls,
    reads: drafted.reads,
    isRead: true,
    isLoop: true,
    notes: [...until.notes, ...drafted.notes],
    places: [...placesAfter(learner, last, { id, page }), ...places],
  };
}

/** The first of the calls, with the failures of all of them. */
function withRefusals([first, ...rest]: readonly SeenCall[]): SeenCall {
  const refusals = [first, ...rest].flatMap((call) => call?.refusals ?? []);
  return { ...(first as SeenCall), ...(refusals.length === 0 ? {} : { refusals }) };
}

interface PagePlace {
  readonly id: string;
  readonly page: string;
  readonly start: Json | undefined;
  readonly learner: Learner;
  readonly tool: string;
}

/** The argument that says which page: none in the first round, or what the session began with. */
function argumentOf(step: PageStep, { id, page, start, learner, tool }: PagePlace): string {
  if ('by' in step) {
    const counted = step.by === 1 ? 'index' : `index * ${step.by}`;
    return start === undefined
      ? `index == 0 ? optional.none() : index + 1`
      : `${literal(start as number)} + ${counted}`;
  }
  const before = optional(`steps.${id}.?steps.?${page}.?output`, step.path);
  if (start === undefined) return before;
  const isPlain = start === null || start === '' || typeof start === 'number';
  const first = isPlain ? literal(start) : learner.inputs.expression(step.argument, start, tool).slice(3, -2).trim();
  return `${before}.orValue(${first})`;
}

/** The lists of all pages, put together: the fields of the step that gathers them, and their places. */
function gathered(
  learner: Learner,
  { id, page, all, outputs }: Readonly<Record<'id' | 'page' | 'all', string>> & { readonly outputs: readonly Json[] },
): { readonly sets: Readonly<Record<string, string>>; readonly places: readonly Place[] } {
  const sets: Record<string, string> = {};
  const places: Place[] = [];
  for (const path of listsIn(outputs)) {
    const word = (path.at(-1) ?? 'items').replace(/\W+/g, '_');
    const name = Object.hasOwn(sets, word) ? `${word}_${Object.keys(sets).length}` : word;
    const isEverywhere = outputs.every((output) => Array.isArray(valueAt(output, path)));
    const base = `${member('steps', page)}.output`;
    const list = isEverywhere
      ? path.reduce<string>((of, key) => member(of, key), base)
      : `${optional(base, path)}.orValue([])`;
    sets[name] = list;
    const items = outputs.flatMap((output) => (valueAt(output, path) ?? []) as readonly Json[]);
    const root = { key: name, step: id, order: learner.drafts.length };
    places.push(...placesIn({ ...root, expression: `${member('steps', id)}.steps.${all}.${name}` }, items));
  }
  return { sets, places };
}

/** Each field: what the rounds before gathered, and the list of this round. */
const namedAs = (all: string, sets: Readonly<Record<string, string>>, id: string): JsonObject =>
  Object.fromEntries(
    Object.entries(sets).map(([name, list]) => [
      name,
      interpolated(`steps.${id}.?steps.?${all}.?${name}.orValue([]) + ${list}`),
    ]),
  );

/** What the last answer holds besides its lists. */
function placesAfter(
  learner: Learner,
  last: SeenCall | undefined,
  { id, page }: { readonly id: string; readonly page: string },
): readonly Place[] {
  if (last === undefined) return [];
  const step = `${member('steps', id)}.steps.${page}`;
  const own = placesOfStep(id, last, learner.drafts.length, step);
  return own.filter(({ inList, value, depth }) => inList === undefined && !Array.isArray(value) && depth > 0);
}

interface RoundsEnd {
  readonly condition: string;
  readonly notes: readonly string[];
}

/** When there is no further page. */
function endOf(learner: Learner, calls: readonly SeenCall[], step: PageStep, page: string): RoundsEnd {
  const output = `${member('steps', page)}.output`;
  const outputs = calls.map(outputOf);
  const last = outputs.at(-1) ?? null;
  const { path: of = '' } = calls[0] ?? {};
  if (!('by' in step)) {
    const isOver = `${optional(output, step.path)}.orValue(null) in [null, ""]`;
    const next = valueAt(last, step.path);
    if (next === undefined || next === null || next === '') return { condition: isOver, notes: [] };
    return early(learner, of, isOver, calls.length);
  }
  const lists = listsIn(outputs).map((path) => optional(output, path));
  const isShort = lists.map((list) => `size(${list}.orValue([])) == 0`);
  const conditions = [...explanations(outputs, new Set([outputs.length - 1]), output), ...isShort];
  const [condition = `index == ${calls.length - 1}`] = chosenFirst(
    learner,
    `${of} last page`,
    'Which is the last page?',
    conditions,
  );
  return { condition, notes: [`look: \`${condition}\` was true of the last page alone`] };
}

/** The session ended before the last page. */
function early(learner: Learner, path: string, isOver: string, count: number): RoundsEnd {
  const options = [`after ${count} pages, as in the session`, 'after the last page'];
  const text = `The session read ${count} pages, and there were more: where does the workflow end?`;
  if (learner.ask(`${path} pages`, text, options) === 1) return { condition: isOver, notes: [] };
  const notes = [`look: the session read ${count} pages, and there were more`];
  return { condition: `${isOver} || index == ${count - 1}`, notes };
}

/** Puts the condition first that a person chose. */
function chosenFirst(learner: Learner, id: string, text: string, conditions: readonly string[]): readonly string[] {
  const options = [...new Set(conditions)].slice(0, 4);
  if (options.length === 0) return [];
  const chosen = options[learner.ask(id, text, options)];
  return chosen === undefined ? options : [chosen, ...options];
}

/** Names of members that say how far something is. */
const stateName = /\.(?:state|status|phase|stage|done|finished|completed?|ready|running|pending)\b/i;

function polling(learner: Learner, calls: readonly SeenCall[]): DraftStep | undefined {
  const [first] = calls;
  const last = calls.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const id = freeId(learner.ids, `until_${first.name}`);
  const poll = freeId(learner.ids, first.name);
  const drafted = learner.draftCall(withRefusals(calls), { id: poll, places: learner.places(), prefix: `${id}/0/` });
  if (drafted.steps.length > 1) return undefined;
  const outputs = calls.map(outputOf);
  const found = explanations(outputs, new Set([outputs.length - 1]), `${member('steps', poll)}.output`);
  const conditions = found.toSorted((a, b) => Number(stateName.test(b)) - Number(stateName.test(a)));
  const text = `${first.name} was asked ${calls.length} times, until its answer was another. Until when does the workflow ask?`;
  const [condition = `index == ${calls.length - 1}`] = chosenFirst(learner, `${first.path} until`, text, conditions);
  const repeat = {
    max: Math.max(pollsMax, calls.length),
    until: condition,
    every: pauseIn(calls),
    steps: drafted.steps,
  };
  return {
    id,
    step: { id, repeat },
    calls,
    reads: drafted.reads,
    isRead: true,
    isLoop: true,
    notes: [`look: the session asked ${calls.length} times, until \`${condition}\``, ...drafted.notes],
    places: placesOfStep(id, last, learner.drafts.length, `${member('steps', id)}.steps.${poll}`),
  };
}

/** The usual time between two polls, in whole seconds. */
function pauseIn(calls: readonly SeenCall[]): string {
  const gaps = calls
    .slice(1)
    .map(({ at = 0 }, i) => at - (calls[i]?.at ?? 0))
    .filter((gap) => gap > 0)
    .toSorted((a, b) => a - b);
  const usual = gaps[Math.floor(gaps.length / 2)] ?? 5_000;
  return `${Math.min(3_600, Math.max(1, Math.round(usual / 1_000)))}s`;
}
