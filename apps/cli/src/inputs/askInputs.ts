/** Asks a person for each missing input, and accepts only valid values. */
import type { Writable } from 'node:stream';

import { validator } from '@baton/expressions';
import type { Json, JsonObject, JsonSchema } from '@baton/primitives';
import { confirm, isCancel, select, text } from '@clack/prompts';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { oneLine } from '../output/text.ts';
import { formFields } from './schemaFields.ts';
import { type MissingInput, typedInput } from './typedInput.ts';

/** Rejects with `CommandError` if the person cancels. */
export async function askInputs(
  context: Context,
  missing: readonly MissingInput[],
  onCancel: string,
): Promise<JsonObject> {
  const answers = await askValues(context, missing);
  if (answers === undefined) throw new CommandError(exitCodes.interrupted, onCancel);
  return answers;
}

/** Undefined if the person cancels, or `signal` is aborted. */
async function askValues(
  context: Context,
  missing: readonly MissingInput[],
  signal?: AbortSignal,
): Promise<JsonObject | undefined> {
  const answers: Record<string, Json> = {};
  for (const input of missing) {
    const answer = await ask(context, input, signal);
    if (typeof answer === 'symbol') return undefined;
    if (answer !== undefined) answers[input.name] = answer;
  }
  return answers;
}

/**
 * Asks for every field of a form, its defaults preselected. If the form has no fields, asks whether to answer. Undefined
 * if the person cancels or says no, or `signal` is aborted.
 */
export async function askForm(
  context: Context,
  form: JsonSchema,
  signal?: AbortSignal,
): Promise<JsonObject | undefined> {
  const fields = formFields(form);
  if (fields.length > 0) return askValues(context, fields, signal);
  const agreed = await confirm({ ...promptIn(context, signal), message: 'Record the answer?' });
  return agreed === true ? {} : undefined;
}

const promptIn = ({ stdin, stderr }: Context, signal: AbortSignal | undefined) => ({
  input: stdin,
  output: stderr.stream as Writable,
  ...(signal === undefined ? {} : { signal }),
});

/** The symbol of `isCancel` if the person cancels; undefined if an optional input is left out. */
async function ask(
  context: Context,
  { name, schema, isOptional }: MissingInput,
  signal: AbortSignal | undefined,
): Promise<Json | symbol | undefined> {
  const details = typeof schema === 'boolean' ? {} : schema;
  const usual = details['default'];
  const canOmit = isOptional === true && usual === undefined;
  const label = [name, details['description']]
    .filter((one) => typeof one === 'string')
    .map(oneLine)
    .join(': ');
  const common = { ...promptIn(context, signal), message: canOmit ? `${label} (optional)` : label };
  const isBoolean = details['type'] === 'boolean';
  const choices = choicesOf(details, canOmit);
  if (choices !== undefined) {
    const options = choices.map((value) => ({
      value: JSON.stringify(value),
      label: labelOf(value),
    }));
    const omitted = canOmit ? [{ value: '', label: 'leave it out' }] : [];
    const initial = canOmit ? '' : JSON.stringify(usual);
    const chosen = await select({ ...common, options: [...omitted, ...options], initialValue: initial });
    if (isCancel(chosen)) return chosen;
    return chosen === '' ? undefined : (JSON.parse(chosen) as Json);
  }
  if (isBoolean) return confirm({ ...common, ...(typeof usual === 'boolean' ? { initialValue: usual } : {}) });
  const answer = await text({
    ...common,
    ...(usual === undefined ? {} : { initialValue: labelOf(usual) }),
    validate: (typed = '') =>
      (canOmit && typed === '') || (usual !== undefined && typed === labelOf(usual))
        ? undefined
        : problemOf(typed, schema),
  });
  if (isCancel(answer)) return answer;
  if (canOmit && answer === '') return undefined;
  // What is shown of a default may be shorter than the default.
  if (usual !== undefined && answer === labelOf(usual)) return usual;
  const typed = typedInput(answer, schema);
  return 'value' in typed ? typed.value : answer;
}

/** The values to choose from; undefined if the person types a text, or answers yes or no. */
function choicesOf(details: JsonObject, canOmit: boolean): readonly Json[] | undefined {
  if (Array.isArray(details['enum'])) return details['enum'];
  return details['type'] === 'boolean' && canOmit ? [true, false] : undefined;
}

const labelOf = (value: Json): string => oneLine(typeof value === 'string' ? value : JSON.stringify(value));

/** Validates like the workflow's own check. */
function problemOf(text: string, schema: JsonSchema): string | undefined {
  const typed = typedInput(text, schema);
  if ('problem' in typed) return `It ${typed.problem}.`;
  const [error] = validator(schema).validate?.(typed.value) ?? [];
  return error?.message;
}
