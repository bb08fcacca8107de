/** Operations of what workflows remember: look at it, replace a value. */
import { type StateValue, type StateWrite, ProblemError, instant, routes } from '@baton/api';
import { didYouMean, quoted } from '@baton/expressions';
import { type StatePlan, stateErrors } from '@baton/language';
import { type Json, type JsonSchema, defined, isObject } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import {
  type MayReplace,
  type StateEntry,
  type Store,
  listStateWrites as readWrites,
  readState,
  setState,
} from '@baton/store';

import { unknownWorkflow } from '../intake/unknownWorkflow.ts';
import { checkEffectsOf } from '../keys/effects.ts';
import { maySee } from '../keys/keyAccess.ts';
import { seesValues } from '../keys/narrowing.ts';
import type { Principal } from '../keys/scopes.ts';
import { operation } from './operation.ts';
import type { ListPage, PageInput } from './page.ts';
import type { ById } from './reach.ts';

interface StateParts {
  readonly store: Store;
  readonly plans: Plans;
}

interface ByKey extends ById {
  readonly key: string;
}

/** The newest version of a workflow. */
interface Declared {
  readonly definition: string;
  readonly state: StatePlan;
}

const nothing: StatePlan = { schema: {}, defaults: {} };

/** The keys that the newest version declares, then those that are left of earlier ones. */
export const getWorkflowState = operation(routes.getWorkflowState, {
  values: 'hidden',
  reach: (parts: StateParts, caller, input: ById) => declaredState(parts, caller, input),
  effects: 'none',
  perform: async ({ store }, caller, { id }, { state }) => ({
    workflow: id,
    values: await shownValues(store, caller, id, state),
  }),
});

/** Newest first. */
export const listStateWrites = operation(routes.listStateWrites, {
  values: 'hidden',
  reach: (parts: StateParts, caller, input: ByKey & PageInput) => declaredState(parts, caller, input),
  effects: 'none',
  perform: async ({ store }, caller, { id, key, limit, after }, { state }): Promise<ListPage<StateWrite>> => {
    const before = after === undefined ? undefined : Number(after);
    const { writes, next } = await readWrites(store, { workflow: id, isInline: false, key }, { limit, before });
    if (writes.length === 0 && before === undefined && !Object.hasOwn(state.defaults, key)) throw noKey(state, key);
    const isShown = seesValues(caller, id);
    const data = writes.map((write) => ({
      revision: write.revision,
      ...(isShown && { value: write.value }),
      ...shownWrite(write),
    }));
    return { data, next: next === undefined ? undefined : `${next}` };
  },
});

/** Runs act on it: it needs the rights to start them. */
export const setWorkflowState = operation(routes.setWorkflowState, {
  values: 'hidden',
  reach: (
    parts: StateParts,
    caller,
    input: ByKey & { readonly value: Json; readonly mayReplace?: MayReplace | undefined },
  ) => declaredState(parts, caller, input),
  effects: ({ plans }, caller, { definition }) => checkEffectsOf(caller, plans, definition),
  perform: async ({ store }, caller, { id, key, value, mayReplace }, { state }): Promise<StateValue> => {
    checkValue(state, key, value);
    const revision = await setState(store, { workflow: id, key, value, by: caller.by, mayReplace });
    // Its own write: another one may have come meanwhile.
    const owner = { workflow: id, isInline: false, key };
    const { writes } = await readWrites(store, owner, { limit: 1, before: revision + 1 });
    const [write] = writes;
    return {
      key,
      ...(seesValues(caller, id) && { value }),
      revision,
      ...defined({ type: typeOf(state, key) }),
      fits: true,
      ...(write && { written: shownWrite(write) }),
    };
  },
});

async function declaredState({ store, plans }: StateParts, caller: Principal, { id }: ById): Promise<Declared> {
  const version = maySee(caller, id) ? await store.findVersion({ workflow: id }) : undefined;
  if (version === undefined) throw await unknownWorkflow(store, { workflow: id }, caller);
  const plan = await plans(version.definition);
  return { definition: version.definition, state: plan.state ?? nothing };
}

async function shownValues(store: Store, caller: Principal, workflow: string, state: StatePlan): Promise<StateValue[]> {
  const stored = new Map((await readState(store, { workflow, isInline: false })).map((one) => [one.key, one]));
  const keys = new Set([...Object.keys(state.defaults), ...stored.keys()]);
  const isShown = seesValues(caller, workflow);
  return [...keys].map((key) => {
    const write = stored.get(key);
    const type = typeOf(state, key);
    const value = write === undefined ? (state.defaults[key] ?? null) : write.value;
    return {
      key,
      ...(isShown && { value }),
      revision: write?.revision ?? 0,
      ...defined({ type }),
      fits: type === undefined || stateErrors(state, { [key]: value }).length === 0,
      ...(write && { written: shownWrite(write) }),
    };
  });
}

/** Undefined: it is not declared. */
function typeOf({ schema, defaults }: StatePlan, key: string): JsonSchema | undefined {
  if (!Object.hasOwn(defaults, key)) return undefined;
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return ((isObject(properties) ? properties[key] : undefined) ?? {}) as JsonSchema;
}

const shownWrite = ({ at, by, runId }: StateEntry) => ({ at: instant(at.getTime()), by, ...defined({ runId }) });

/** Throws `ProblemError`. */
function checkValue(state: StatePlan, key: string, value: Json | undefined): void {
  if (!Object.hasOwn(state.defaults, key)) throw noKey(state, key);
  const [error] = value === undefined ? [] : stateErrors(state, { [key]: value });
  if (value !== undefined && error === undefined) return;
  const message =
    error === undefined
      ? '"value" is missing.'
      : `The value does not fit the type that the newest version declares. ${error.message}`;
  const pointer = `/value${error?.pointer.slice(`/${key}`.length) ?? ''}`;
  throw new ProblemError('validation-failed', message, { errors: [{ pointer, code: 'wrong-value', message }] });
}

function noKey({ defaults }: StatePlan, key: string): ProblemError {
  const keys = Object.keys(defaults);
  if (keys.length === 0) return new ProblemError('not-found', 'The newest version of the workflow declares no state.');
  const hint = didYouMean(key, keys);
  const more = hint === undefined ? `It has ${keys.slice(0, 5).map(quoted).join(', ')}.` : `${hint}.`;
  return new ProblemError('not-found', `The state has no key ${quoted(key)}. ${more}`);
}
