/**
 * Reads JSON whose sender cannot write it otherwise, such as the body of a webhook: no value is lost, and what Baton
 * cannot hold as it is written is held otherwise. An integer that would be rounded is a text of its digits, the values of
 * a key that occurs twice are a list, and U+FFFD stands for a NUL or half a surrogate pair.
 */
import { ProblemError } from '@baton/api';
import { jsonTokens, limits, readJson } from '@baton/expressions';
import { type Json, exactNumbers } from '@baton/primitives';

const depthMax = limits.value.depth;

/** Throws `ProblemError` if it is not JSON, or nested too deep. */
export function parseSenderJson(text: string): Json {
  const reading = readJson(text, 'The body');
  if ('value' in reading) return reading.value;
  const wrong = reading.faults.find(({ code }) => code === 'json-syntax');
  if (wrong === undefined) return held(text);
  throw new ProblemError('malformed-request', wrong.message, { errors: [wrong] });
}

interface Container {
  readonly value: Json[] | Record<string, Json>;
  /** All values of each key that occurred twice. */
  readonly repeated: Map<string, Json[]>;
  key: string | undefined;
}

/** The text is JSON. */
function held(text: string): Json {
  const open: Container[] = [];
  let whole: Json = null;
  const add = (value: Json): void => {
    const container = open.at(-1);
    if (container === undefined) whole = value;
    else if (Array.isArray(container.value)) container.value.push(value);
    else addMember(container, container.value, value);
  };
  for (const token of jsonTokens(text)) {
    const container = open.at(-1);
    if (token === '{' || token === '[') {
      if (open.length === depthMax)
        throw new ProblemError('validation-failed', `The body is nested more than ${depthMax} deep.`);
      const value = token === '{' ? {} : [];
      add(value);
      open.push({ value, repeated: new Map(), key: undefined });
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ',' || token === ':') continue;
    else if (container !== undefined && !Array.isArray(container.value) && container.key === undefined)
      container.key = storable(JSON.parse(token) as string);
    else add(scalarOf(token));
  }
  return whole;
}

function addMember(container: Container, map: Record<string, Json>, value: Json): void {
  const { key = '', repeated } = container;
  container.key = undefined;
  const before = repeated.get(key) ?? (Object.hasOwn(map, key) ? [map[key] ?? null] : undefined);
  const values = before && [...before, value];
  if (values !== undefined) repeated.set(key, values);
  // `map["__proto__"] = …` would change the prototype.
  const member = { value: values ?? value, enumerable: true, configurable: true, writable: true };
  Object.defineProperty(map, key, member);
}

function scalarOf(token: string): Json {
  const value = JSON.parse(exactNumbers(token)) as Json;
  return typeof value === 'string' ? storable(value) : value;
}

/** A text that Postgres can store. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
