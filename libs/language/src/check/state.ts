/** Checks what a workflow remembers between its runs: the declaration, and the steps that write. */
import {
  type Type,
  types,
  childOf,
  didYouMean,
  either,
  kindOf,
  limits,
  quoted,
  typeOfSchema,
  writtenPointer,
} from '@baton/expressions';
import { type JsonObject, canonicalJson, isObject } from '@baton/primitives';

import { stateErrors, statePlan } from '../compile/state.ts';
import { forms, isName, respell } from '../document/nameForms.ts';
import type { StepDocument } from '../document/step.ts';
import type { Workflow } from '../document/workflow.ts';
import { fitArguments } from '../fit/fitValue.ts';
import type { CheckRun, ExpressionSite } from './checkRun.ts';
import { checkTemplate } from './expressions.ts';
import { checkSchema } from './schema.ts';

const at = '/state';
const form = 'a key with its type, as in `cursor: { type: string, default: "" }`';

export function checkStateDeclaration(checking: CheckRun, { state }: Workflow): void {
  if (state === undefined) return;
  const { report } = checking;
  checkSchema(checking, state, at);
  const { schema, defaults } = statePlan(state);
  const type = isObject(schema) ? schema['type'] : undefined;
  if (type !== 'object' || Object.keys(defaults).length === 0) {
    const message = type === 'object' ? 'The state has no key.' : 'The state is a map.';
    report({ code: 'schema-invalid', pointer: at, at: 'key', message, expected: form });
  }
  for (const key of Object.keys(defaults)) {
    if (isName('step', key)) continue;
    const message = `${quoted(key)} cannot be the name of a value.`;
    const hint = respell('step', key);
    report({ code: 'bad-name', pointer: placeOf(state, key), at: 'key', message, expected: forms.step, hint });
  }
  const bytes = new TextEncoder().encode(canonicalJson(defaults)).length;
  if (bytes > limits.state.bytes) {
    const message = `The defaults of the state are ${bytes} bytes; all values together may be ${limits.state.bytes}.`;
    report({ code: 'too-large', pointer: at, at: 'key', message });
  }
  if (type === 'object' && checking.mayLookAt(at)) reportStored(checking, state);
}

/** Runs read what an earlier version wrote. The message names only the kind of the value: an author may not see values. */
function reportStored({ report, storedState = new Map() }: CheckRun, written: JsonObject): void {
  const plan = statePlan(written);
  for (const key of Object.keys(plan.defaults)) {
    const stored = storedState.get(key);
    if (stored === undefined || stateErrors(plan, { [key]: stored.value }).length === 0) continue;
    const found = kindOf(stored.value);
    report({
      code: 'stored-state-unfit',
      pointer: placeOf(written, key),
      at: 'key',
      message: `The state ${quoted(key)} holds ${found} that does not fit, written by ${stored.by}: each run would fail with \`state-unfit\`.`,
      found,
      hint: 'declare a type that takes it, give the key another name, or deploy this and replace the value with `baton state set`',
    });
  }
}

const placeOf = (written: JsonObject, key: string): string => at + writtenPointer(written, childOf('/properties', key));

/** The name `state`, where the workflow declares it. A key without a default is null until a run has written it. */
export function stateNames({ opaque, state }: CheckRun): readonly (readonly [string, Type])[] {
  if (opaque.has(at)) return [['state', types.any]];
  if (state === undefined) return [];
  const { schema, defaults } = statePlan(state);
  const typed = typeOfSchema(schema);
  const fields = typed.kind === 'map' ? typed.fields : new Map();
  const typeOf = (key: string): Type => {
    const type: Type = fields.get(key)?.type ?? types.any;
    return defaults[key] === null ? types.orNull(type) : type;
  };
  return [['state', types.map(Object.fromEntries(Object.keys(defaults).map((key) => [key, typeOf(key)])))]];
}

type StateDocument = Extract<StepDocument, { state: unknown }>;

/** The type of the values. */
export function checkStateStep(site: ExpressionSite, step: StateDocument, pointer: string): Type {
  reportDistributed(site.checking, pointer);
  site.checking.stateWrites.add(pointer);
  return checkStateValues(site, step.state, `${pointer}/state`);
}

/** Checks what is written: by a step, or by a trigger. Returns the type of the values. */
export function checkStateValues(site: ExpressionSite, given: JsonObject, written: string): Type {
  const { checking } = site;
  const computed = new Map<string, Type>();
  const values = checkTemplate({ ...site, computed }, given, written);
  const { state } = checking;
  if (checking.opaque.has(at) || checking.opaque.has(written)) return values;
  if (state === undefined) {
    const message = 'The workflow declares no state, so there is nothing to write.';
    const keys = Object.keys(given).map((key) => `${key}: { type: … }`);
    const expected = `\`state: { ${keys.join(', ')} }\` at the top of the file`;
    checking.report({ code: 'state-undeclared', pointer: written, at: 'key', message, expected });
    return values;
  }
  const plan = statePlan(state);
  if (Object.keys(plan.defaults).length > 0) fitKeys(checking, given, written, computed, plan);
  return values;
}

function fitKeys(
  checking: CheckRun,
  given: JsonObject,
  pointer: string,
  computed: Map<string, Type>,
  { schema, defaults }: ReturnType<typeof statePlan>,
): void {
  const { report } = checking;
  const keys = Object.keys(defaults);
  const known: [string, JsonObject[string]][] = [];
  for (const [key, value] of Object.entries(given)) {
    const place = childOf(pointer, key);
    if (!Object.hasOwn(defaults, key)) {
      const message = `The state has no key ${quoted(key)}.`;
      const hint = didYouMean(key, keys);
      report({
        code: 'unknown-state-key',
        pointer: place,
        at: 'key',
        message,
        expected: either(keys),
        found: key,
        hint,
      });
      continue;
    }
    // Null is what a key without a default was at first.
    const type = computed.get(place);
    if (defaults[key] === null && type !== undefined && types.mayBeNull(type)) computed.set(place, types.notNull(type));
    if (value !== null || defaults[key] !== null) known.push([key, value]);
  }
  if (!checking.mayLookAt(at)) return;
  const asWritten = { value: Object.fromEntries(known), pointer, types: computed };
  fitArguments(report, asWritten, schema, { owner: 'The state', named: pointer });
}

/** An item that is a run of its own has the state that the whole run saw, and other items would write beside it. */
function reportDistributed({ report, index }: CheckRun, pointer: string): void {
  const containers = index.all.find((one) => one.pointer === pointer)?.containers ?? [];
  const owner = containers.findLast(({ owner: around }) => {
    const holder = around?.step;
    return holder !== undefined && 'forEach' in holder && holder.distribute === true;
  });
  if (owner === undefined) return;
  const message = 'The items of a distributed `forEach` are runs of their own, and write no state.';
  const hint = 'write it in a step after the `forEach`, from what its items gave';
  report({ code: 'state-in-distributed', pointer: `${pointer}/state`, at: 'key', message, hint });
}
