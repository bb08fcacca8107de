/** Reads the inputs of a run: from a file, from `-i`, and, at a terminal, from prompts. */
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';

import { didYouMean, readJson, validator } from '@baton/expressions';
import type { Json, JsonObject, JsonSchema } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { whyOf } from '../output/fileFault.ts';
import { shellWord } from '../shellWord.ts';
import { missingInputs, propertiesOf } from './schemaFields.ts';
import { typedInput } from './typedInput.ts';

export interface GivenInputs {
  /** Name of a JSON file; `-`: stdin. */
  readonly file?: string | undefined;
  /** Each `key=value`. They override the file. */
  readonly pairs: readonly string[];
}

/** `schema`: of all inputs; undefined if unknown. `onCancel`: what a person who cancels is told. Rejects with `CommandError`. */
export async function readInputs(
  context: Context,
  { file, pairs }: GivenInputs,
  schema: JsonSchema | undefined,
  onCancel = 'Nothing was started.',
): Promise<JsonObject> {
  const fromFile = file === undefined ? {} : await inputsIn(context, file);
  const given = { ...fromFile, ...inputsOf(pairs, schema) };
  const missing = missingInputs(given, schema);
  if (missing.length === 0 || !context.isInteractive || hasUnknown(given, schema)) return given;
  const { askInputs } = await import('./askInputs.ts');
  return { ...given, ...(await askInputs(context, missing, onCancel)) };
}

async function inputsIn({ stdin }: Context, file: string): Promise<JsonObject> {
  const text = await (file === '-' ? readAll(stdin) : readFile(file, 'utf8')).catch((cause: NodeJS.ErrnoException) => {
    throw new CommandError(exitCodes.usage, `The inputs in ${file} cannot be read: ${whyOf(cause)}.`, { cause });
  });
  const json = parse(file, text);
  if (json !== null && typeof json === 'object' && !Array.isArray(json)) return json as JsonObject;
  throw new CommandError(exitCodes.usage, `The inputs in ${file} are not a JSON object.`, {
    hint: 'write {"name": value, …}',
  });
}

/** By the rules of a request: what a file means must not depend on who reads it. */
function parse(file: string, text: string): Json {
  const reading = readJson(text, 'The text');
  if ('value' in reading) return reading.value;
  const [{ message, hint, pointer = '' }] = reading.faults;
  const place = pointer === '' ? '' : `${pointer}: `;
  throw new CommandError(exitCodes.usage, `The inputs in ${file} cannot be taken. ${place}${message}`, { hint });
}

/** `flag`: the option of the pairs. Throws `CommandError`. */
export function inputsOf(pairs: readonly string[], schema: JsonSchema | undefined, flag = '-i'): JsonObject {
  const properties = propertiesOf(schema);
  const given = new Map<string, Json | undefined>();
  const problems: string[] = [];
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1)
      throw wrong(
        `${flag} ${JSON.stringify(pair.slice(0, 80))} has no name and value.`,
        `write it as ${flag} name=value`,
      );
    const name = pair.slice(0, at);
    if (given.has(name)) throw wrong(`"${name.slice(0, 80)}" is given twice.`);
    const typed = typedInput(pair.slice(at + 1), properties.get(name));
    if ('problem' in typed) problems.push(`"${name.slice(0, 80)}" ${typed.problem}.`);
    given.set(name, 'value' in typed ? typed.value : undefined);
  }
  // Else the server tells what is wrong with the others, all at once.
  if (problems.length > 0) throw wrong([...problems, ...unfit(given, properties)].join(' '));
  return Object.fromEntries(given) as JsonObject;
}

/** What is wrong with values that have the right type. */
const unfit = (given: ReadonlyMap<string, Json | undefined>, schemas: ReadonlyMap<string, JsonSchema>): string[] =>
  [...given].flatMap(([name, value]) => {
    const schema = schemas.get(name);
    if (value === undefined || schema === undefined) return [];
    const errors = validator({ properties: { [name]: schema as Json } }).validate?.({ [name]: value }) ?? [];
    return errors.map(({ message }) => message);
  });

const wrong = (message: string, hint?: string): CommandError => new CommandError(exitCodes.usage, message, { hint });

/**
 * Throws `CommandError` if an input is missing. If an unknown one is given too, only where that is near the missing one:
 * else the server explains both.
 */
export function refuseMissing(given: JsonObject, schema: JsonSchema | undefined): void {
  const known = propertiesOf(schema);
  const missing = missingInputs(given, schema).map(({ name }) => name);
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  for (const name of unknown) {
    const hint = didYouMean(name, missing);
    if (hint !== undefined) throw wrong(`There is no input "${name.slice(0, 80)}".`, hint);
  }
  if (unknown.length > 0 || missing.length === 0) return;
  const names = missing.map((name) => name.slice(0, 80));
  const list = names.map((name) => `"${name}"`).join(', ');
  const hint = `add ${names.map((name) => `-i ${shellWord(name)}=…`).join(' ')}`;
  throw wrong(`${list} ${names.length === 1 ? 'is' : 'are'} missing.`, hint);
}

/**
 * Throws `CommandError` if a pair has a name that the schema does not have: else the missing one would be asked for.
 * `owner` has items, in the words of the message.
 */
export function refuseUnknown(
  pairs: readonly string[],
  schema: JsonSchema,
  { owner, item }: { readonly owner: string; readonly item: string },
): void {
  const known = [...propertiesOf(schema).keys()];
  if (known.length === 0) return;
  for (const pair of pairs) {
    const name = pair.slice(0, Math.max(0, pair.indexOf('=')));
    if (name === '' || known.includes(name)) continue;
    throw wrong(
      `${owner} has no ${item} "${name.slice(0, 80)}".`,
      didYouMean(name, known) ?? `its ${item}s are ${known.slice(0, 12).join(', ')}`,
    );
  }
}

/** Whether an input is given that nothing takes: no answer of a person would make the others right. */
function hasUnknown(given: JsonObject, schema: JsonSchema | undefined): boolean {
  if (typeof schema !== 'object' || schema['additionalProperties'] !== false) return false;
  const known = propertiesOf(schema);
  return schema['patternProperties'] === undefined && Object.keys(given).some((name) => !known.has(name));
}
