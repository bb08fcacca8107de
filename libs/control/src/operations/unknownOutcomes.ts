/** Calls whose outcome is not known, and what finds it out. */
import { type Received, type UnknownCall, type UnknownOutcomes, instant, routes } from '@baton/api';
import { type Call, type RunStatus, findStep, targetOfCall } from '@baton/engine';
import type { Plan, ToolStep } from '@baton/language';
import { defined, isObject } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import { type Store, type UnknownOutcome, newestRetries, parentsOf, unknownOutcomes } from '@baton/store';

import { type LostGroup, groupLost } from '../causes/groupLost.ts';
import { type RetryAbove, outermostRetry } from '../intake/goneOnWith.ts';
import { maySee } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
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
    const known = await knownOf(parts, caller, found);
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
  /** By the id of a child run that ended: the run to retry in its place. */
  readonly above: ReadonlyMap<string, RetryAbove>;
  /** Ids of open questions, by run and path. */
  readonly questions: ReadonlyMap<string, string>;
}

async function knownOf({ store, plans }: Parts, caller: Principal, found: readonly UnknownOutcome[]): Promise<Known> {
  const definitions = [...new Set(found.map(({ definition }) => definition))];
  const read = async (definition: string): Promise<readonly [string, Plan | undefined]> => [
    definition,
    await plans(definition).catch(() => undefined),
  ];
  const waiting = new Set(found.filter(({ status }) => status === 'waiting').map(({ runId }) => runId));
  const asked = await Promise.all([...waiting].map((runId) => openIn(store, runId)));
  const aboveOf = outermostRetry(store.journal, (workflow) => maySee(caller, workflow));
  const over = new Set(found.flatMap(({ runId, status }) => (isOver(status) ? [runId] : [])));
  const parents = await parentsOf(store, [...over]);
  const above = await Promise.all([...parents].map(async ([runId, parent]) => [runId, await aboveOf(parent)] as const));
  return {
    above: new Map(above.flatMap(([runId, one]) => (one === undefined ? [] : [[runId, one] as const]))),
    plans: new Map(await Promise.all(definitions.map(read))),
    retries: await newestRetries(store, [...new Set(found.map(({ runId }) => runId))]),
    questions: new Map(asked.flat()),
  };
}

const isOver = (status: RunStatus): boolean => status === 'failed' || status === 'cancelled';

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
  { plans, retries, above, questions }: Known,
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
    ...defined({ retry: shownAbove(above.get(runId), path) }),
  };
}

const shownAbove = (above: RetryAbove | undefined, path: string): UnknownCall['retry'] =>
  above && {
    run: above.runId,
    workflow: above.workflow,
    version: above.version ?? null,
    path: `${above.prefix}${path}`,
  };

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
