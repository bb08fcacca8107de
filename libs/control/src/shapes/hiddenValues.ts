/**
 * Runs for callers that see no values of them: the steps, times, effects and codes of failures stay. What is not known to
 * hold no value is left out, so that a new field of an event hides until it is named here.
 */
import { type Failure, type RunEvent, type Value, failureCodes } from '@baton/engine';
import { type Json, type JsonObject, isObject } from '@baton/primitives';
import type { RunSummary } from '@baton/store';

const none = { json: null, hidden: true } as const;

export const isHidden = (value: Value): boolean => 'hidden' in value;

/** Fields that hold no value of a run. */
const shownFields = new Set(
  [
    'type at seq workflow version definition by via tags person priority parent runId path attempt rerunOf notBefore depth part',
    'budget limits lost from to worker claim wakeAt status verb server tool prompt effect toolEffect isKeyed',
    'contract itemCount case ensures reopened for until expiresAt name item detached mustRead asksAgain progress',
    'total usage model inputTokens outputTokens usd estimated tokens session login since signal undoable kept delivery resumeAt',
    'index cut again step spent read that kind items runs',
  ].flatMap((names) => names.split(' ')),
);

/** Fields that an event must have: what is shown instead. */
const replaced: Readonly<Record<string, (value: Json) => Json | undefined>> = {
  inputs: () => none,
  outputs: () => none,
  arguments: () => none,
  request: () => none,
  value: () => none,
  payload: () => null,
  answer: () => null,
  uri: () => '',
  reason: () => '',
  key: () => undefined,
  question: () => ({ message: 'A question, whose text is hidden.', form: {} }),
  trigger: (value) => (isObject(value) ? { kind: value['kind'] ?? 'api' } : value),
  failure: (value) => hiddenFailure(value as unknown as Failure) as unknown as Json,
  refusal: (value) => hiddenFailure(value as unknown as Failure) as unknown as Json,
  cause: (value) => hiddenFailure(value as unknown as Failure) as unknown as Json,
};

export function eventWithoutValues(event: RunEvent): RunEvent {
  // The items of a `forEach` are values; elsewhere `items` is a number.
  const { items, ...rest } = event as unknown as JsonObject;
  const hidden = hiddenIn(rest);
  return (items === undefined ? hidden : { ...hidden, items: none }) as unknown as RunEvent;
}

function hiddenIn(fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).flatMap(([name, value]): [string, Json][] => {
    const inPlace = Object.hasOwn(replaced, name) ? replaced[name]?.(value) : undefined;
    if (inPlace !== undefined) return [[name, inPlace]];
    if (holders.has(name) && isObject(value)) return [[name, hiddenIn(value)]];
    return shownFields.has(name) ? [[name, value]] : [];
  });
  return Object.fromEntries(entries);
}

/** Fields whose own fields are looked at. */
const holders: ReadonlySet<string> = new Set(['call', 'awaiting', 'target', 'goesOn']);

function hiddenFailure({ code, step }: Failure): Failure {
  const message = code in failureCodes ? failureCodes[code as keyof typeof failureCodes].means : 'It failed.';
  return { code, message, ...(step === undefined ? {} : { step }) };
}

export function summaryWithoutValues({ waitsFor: _text, failure, trigger, ...run }: RunSummary): RunSummary {
  return {
    ...run,
    trigger: { kind: trigger.kind },
    inputs: none,
    outputs: undefined,
    failure: failure && hiddenFailure(failure),
  };
}
