/** Calls whose outcome is not known, and what finds it out. */
import { type Received, type UnknownCall, type UnknownOutcomes, instant, routes } from '@baton/api';
import { type Call, findStep, targetOfCall } from '@baton/engine';
import type { Plan, ToolStep } from '@baton/language';
import { defined, isObject } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import { type Store, type UnknownOutcome, newestRetries, unknownOutcomes } from '@baton/store';

import { type LostGroup, groupLost } from '../causes/groupLost.ts';
import { readQuestions } from '../questions/openQuestions.ts';
import { runFilterOf } from '../shapes/runFilter.ts';
import { operation } from './operation.ts';
import { allReached } from './reach.ts';

const callsMax = 500;
const argumentCharacters = 400;

interface Parts {
  readonly store: Store;
  readonly plans: Plans;
}

export const listUnknownOutcomes = operation(routes.listUnknownOutcomes, {
  reach: allReached,
  effects: 'none',
  perform: async (
    parts: Parts,
    caller,
    { retried, ...query }: Received<typeof routes.listUnknownOutcomes>['query'],
  ): Promise<UnknownOutcomes> => {
    const { store } = parts;
    const filter = await runFilterOf(store, query, caller);
    // A child run is continued by the retry of its parent, which is no retry of its own.
    const wanted = { ...filter, ...(retried === 'no' ? { isContinued: false as const } : {}) };
    const found = await unknownOutcomes(store, retried === 'yes' ? { ...wanted, isRetried: true } : wanted, callsMax);
    const known = await knownOf(parts, found);
    return {
      count: found.length,
      data: groupLost(found).map((group) => shownGroup(group, known)),
      ...(found.length === callsMax ? { cut: true as const } : {}),
    };
  },
});

/** What the runs of these calls tell beside the calls. */
interface Known {
  readonly plans: ReadonlyMap<string, Plan | undefined>;
  readonly retries: ReadonlyMap<string, string>;
  /** Ids of open questions, by run and path. */
  readonly questions: ReadonlyMap<string, string>;
}

async function knownOf({ store, plans }: Parts, found: readonly UnknownOutcome[]): Promise<Known> {
  const definitions = [...new Set(found.map(({ definition }) => definition))];
  const read = async (definition: string): Promise<readonly [string, Plan | undefined]> => [
    definition,
    await plans(definition).catch(() => undefined),
  ];
  const waiting = new Set(found.filter(({ status }) => status === 'waiting').map(({ runId }) => runId));
  const asked = await Promise.all([...waiting].map((runId) => openIn(store, runId)));
  return {
    plans: new Map(await Promise.all(definitions.map(read))),
    retries: await newestRetries(store, [...new Set(found.map(({ runId }) => runId))]),
    questions: new Map(asked.flat()),
  };
}

async function openIn(store: Store, runId: string): Promise<readonly (readonly [string, string])[]> {
  const questions = await readQuestions(store, runId);
  return questions.flatMap(({ path, id, isOpen }) => (isOpen ? [[`${runId} ${path}`, id] as const] : []));
}

function shownGroup(
  { server, worker, code, message, calls }: LostGroup,
  known: Known,
): UnknownOutcomes['data'][number] {
  const times = calls.map(({ unknown }) => unknown.at);
  return {
    ...defined({ server, worker }),
    code,
    cause: message,
    first: instant(Math.min(...times)),
    last: instant(Math.max(...times)),
    calls: calls.map((call) => shownCall(call, known)),
  };
}

function shownCall(
  { runId, workflow, version, definition, status, call, startedAt, unknown }: UnknownOutcome,
  { plans, retries, questions }: Known,
): UnknownCall {
  const { path, attempt, failure } = unknown;
  const plan = plans.get(definition);
  const step = plan && findStep(plan, path);
  const checked = isObject(failure.details) ? failure.details['checked'] : undefined;
  return {
    run: runId,
    workflow,
    version: version ?? null,
    status,
    step: path,
    attempt,
    at: instant(startedAt),
    message: failure.message,
    ...(call === undefined ? {} : { ...defined({ target: targetOfCall(call) }), arguments: argumentsText(call) }),
    ...(step?.verb === 'tool' ? { ifUnknown: step.ifUnknown, ...defined({ check: checkOf(step) }) } : {}),
    ...(checked === 'undecided' || checked === 'not-happened' ? { checked } : {}),
    ...defined({ question: questions.get(`${runId} ${path}`), retriedAs: retries.get(runId) }),
  };
}

function checkOf({ check }: ToolStep): string | undefined {
  const asks = check?.block.steps[0];
  if (asks?.verb === 'tool') return `${asks.server}/${asks.tool}`;
  return asks?.verb === 'resource' ? `${asks.server}, a resource` : undefined;
}

function argumentsText(call: Call): string {
  const value = call.verb === 'sample' ? call.request : call.arguments;
  const text = 'blob' in value ? value.blob.preview : JSON.stringify('json' in value ? value.json : value.list);
  return text.slice(0, argumentCharacters);
}
