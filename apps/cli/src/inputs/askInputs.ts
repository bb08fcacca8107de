/** Asks a person for each missing input, and accepts only valid values. */
import type { Writable } from 'node:stream';

import type { Json, JsonObject, JsonSchema } from '@baton/language';
import { validator } from '@baton/language';
import { confirm, isCancel, select, text } from '@clack/prompts';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { oneLine } from '../output/text.ts';
import type { MissingInput } from './typedInput.ts';
import { typedInput } from './typedInput.ts';

/** Rejects with `CommandError` if the person cancels. */
export async function askInputs(context: Context, missing: readonly MissingInput[]): Promise<JsonObject> {
  const answers = await askValues(context, missing);
  if (answers === undefined) throw new CommandError(exitCodes.interrupted, 'Nothing was started.');
  return answers;
}

/** Undefined if the person cancels, or `signal` is aborted. */
export async function askValues(
  context: Context,
  missing: readonly MissingInput[],
  signal?: AbortSignal,
): Promise<JsonObject | undefined> {
  const answers: Record<string, Json> = {};
  for (const input of missing) {
    const answer = await ask(context, input, signal);
    if (typeof answer === 'symbol') return undefined;
    answers[input.name] = answer;
  }
  return answers;
}

async function ask(
  { stdin, stderr }: Context,
  { name, schema }: MissingInput,
  signal: AbortSignal | undefined,
): Promise<Json | symbol> {
  const details = typeof schema === 'boolean' ? {} : schema;
  const message = [name, details['description']]
    .filter((one) => typeof one === 'string')
    .map(oneLine)
    .join(': ');
  const common = {
    message,
    input: stdin,
    output: stderr.stream as Writable,
    ...(signal === undefined ? {} : { signal }),
  };
  const choices = details['enum'];
  if (Array.isArray(choices)) {
    const options = (choices as readonly Json[]).map((value) => ({
      value: JSON.stringify(value),
      label: labelOf(value),
    }));
    const chosen = await select({ ...common, options });
    return isCancel(chosen) ? chosen : (JSON.parse(chosen) as Json);
  }
  if (details['type'] === 'boolean') return confirm(common);
  const answer = await text({ ...common, validate: (typed = '') => problemOf(typed, schema) });
  if (isCancel(answer)) return answer;
  const typed = typedInput(answer, schema);
  return 'value' in typed ? typed.value : answer;
}

const labelOf = (value: Json): string => oneLine(typeof value === 'string' ? value : JSON.stringify(value));

/** Validates like the workflow's own check. */
function problemOf(text: string, schema: JsonSchema): string | undefined {
  const typed = typedInput(text, schema);
  if ('problem' in typed) return `It ${typed.problem}.`;
  const [error] = validator(schema).validate?.(typed.value) ?? [];
  return error?.message;
}
