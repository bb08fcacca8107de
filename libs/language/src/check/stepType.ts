/** The type of `steps.<id>`, by verb: of the values that libs/engine shows of a step. */
import { type Field, type Type, types, typeOfSchema, schemaOf } from '@baton/expressions';
import type { JsonSchema } from '@baton/primitives';

import { defaults } from '../compile/defaults.ts';
import type { CheckDocument, StepDocument } from '../document/step.ts';
import type { StepsInScope } from './scope.ts';

/** Types that the step's own contents have shown. */
export interface ResultTypes {
  /** Results of a call. */
  readonly result?: Type;
  readonly values?: Type;
  readonly collected?: Type;
  /** The steps of the last round. */
  readonly round?: Type;
  /** For a `parallel` with `until: first`: the output of the first step that succeeds. */
  readonly first?: Type;
}

const failure = types.map({ code: types.text, message: types.text });

/** The result of checking the inside of a step: types of its own output, and the steps that can be read after it. */
export interface InnerResult {
  readonly shown: ResultTypes;
  readonly steps: StepsInScope;
}

export function stepType(step: StepDocument | CheckDocument, shown: ResultTypes = {}): Type {
  const fields = viewOf(step, shown);
  // A step that was skipped, or whose failure was ignored, exists without its results.
  const mayLack =
    ('if' in step && step.if !== undefined) ||
    ('onError' in step && step.onError !== undefined && step.onError !== 'fail');
  const own = Object.entries(fields).map(([key, field]): [string, Field] => {
    const { type, isOptional = false } = 'kind' in field ? { type: field } : field;
    if (mayLack && key === 'output') return [key, { type: types.orNull(type) }];
    return [key, mayLack || isOptional ? { type, isOptional: true } : { type }];
  });
  return types.map({ status: types.text, ...Object.fromEntries(own), error: { type: failure, isOptional: true } });
}

/** The type of a step that failed, as its `onError` sees it. The rounds of a `repeat` stay. */
export function failedStep(type: Type): Type {
  const rounds = type.kind === 'map' ? type.fields.get('iterations') : undefined;
  const steps = type.kind === 'map' ? type.fields.get('steps') : undefined;
  return types.map({
    status: types.text,
    output: types.nothing,
    error: failure,
    ...(rounds === undefined || steps === undefined
      ? {}
      : { iterations: rounds.type, steps: { ...steps, isOptional: true } }),
  });
}

/** The type of a step's output, or of the result of a check. */
export const outputOf = (type: Type): Type =>
  type.kind === 'map' ? (type.fields.get('output')?.type ?? types.any) : types.any;

/** The schema of the answer to an `ask`. */
export const formOf = ({ form }: Pick<Extract<StepDocument, { ask: unknown }>, 'form'>): JsonSchema =>
  form === undefined ? defaults.form : schemaOf(form);

const block = types.list(types.anyMap);

/** The results of a tool that has answered: the `output`, and the raw answer. */
const answerOf = (output: Type): Record<string, Type> => ({ output, text: types.text, content: block });

/** The type of `result` in `failIf`. */
export const answerType = (output: Type): Type => types.map(answerOf(output));

function viewOf(
  step: StepDocument | CheckDocument,
  { values, collected, round, first, result = types.any }: ResultTypes,
): Record<string, Type | Field> {
  if ('tool' in step) return answerOf(result);
  if ('prompt' in step)
    return { messages: block, text: types.text, output: types.text, description: types.orNull(types.text) };
  if ('resource' in step) return { contents: block, text: types.text, output: types.any };
  if ('sample' in step) return sampleView(step);
  if ('ask' in step) return { output: typeOfSchema(formOf(step)), by: types.orNull(types.text), at: types.text };
  if ('set' in step || 'state' in step) return setView(values ?? types.anyMap);
  if ('workflow' in step) return { output: step.await === false ? types.nothing : result, runId: types.text };
  if (first !== undefined) return { output: first, first: types.orNull(types.text) };
  if ('forEach' in step) return { output: types.list(collected ?? types.any), count: types.integer };
  if ('repeat' in step) return { iterations: types.integer, output: types.any, steps: round ?? types.anyMap };
  return { output: types.any };
}

function sampleView({ sample }: Extract<StepDocument, { sample: unknown }>): Record<string, Type> {
  return {
    text: types.text,
    content: block,
    model: types.orNull(types.text),
    stopReason: types.orNull(types.text),
    usage: types.any,
    output: sample.output === undefined ? types.text : typeOfSchema(schemaOf(sample.output)),
  };
}

/** The values themselves, and all of them as `output`. */
function setView(values: Type): Record<string, Type | Field> {
  const fields = values.kind === 'map' ? [...values.fields] : [];
  return { ...Object.fromEntries(fields), output: values };
}
