/** Implements `Plans` of libs/runner: compiles definitions, and caches the most recently used plans. */
import { invariant } from '@baton/engine';
import { type Plan, type ToolPin, type ToolSchemas, compile, parsing } from '@baton/language';
import { type JsonObject, cachedLoads, defined, isObject } from '@baton/primitives';
import { type Plans, runWithYields } from '@baton/runner';

import type { Database } from '../database/database.ts';
import { type Definition, type Pins, getDefinition } from './definitions.ts';

const keptMax = 500;

export const cachedPlans = (database: Database): Plans => cachedLoads(keptMax, (digest) => load(database, digest));

async function load(database: Database, digest: string): Promise<Plan> {
  const definition = await getDefinition(database, digest);
  invariant(definition !== undefined, `no definition has the digest ${digest}`);
  return planOf(definition);
}

/** Compiles a stored, and therefore checked, definition; yields to the event loop, since a large one takes long. */
export const planOf = (definition: Definition): Promise<Plan> => runWithYields(planning(definition));

function* planning({ digest, source, pins, edition }: Definition): Generator<void, Plan> {
  const { workflow } = yield* parsing(source);
  yield;
  invariant(workflow !== undefined, `the stored definition ${digest} does not parse`);
  const pinOf = (server: string, tool: string): Pins[string] | undefined => pins[`${server}/${tool}`];
  return compile(workflow, {
    effects: pinOf,
    edition,
    declarations: pinOf,
    pins: (server, tool) => toolPin(pinOf(server, tool)),
    definitions: (server, tool) => schemasIn(pinOf(server, tool)?.definition),
  });
}

/** What a call of the tool is held to, `target` as in `server/tool`. */
export function pinnedCall(pins: Pins, target: string): { readonly pin?: ToolPin; readonly definition?: ToolSchemas } {
  const pin = Object.hasOwn(pins, target) ? pins[target] : undefined;
  const schemas = schemasIn(pin?.definition);
  const isKnown = Object.keys(schemas).length > 0;
  return defined({ pin: toolPin(pin), definition: isKnown ? schemas : undefined });
}

/** Without the digest of its text, which may change. */
const toolPin = ({ contract, definition }: Partial<Pins[string]> = {}): ToolPin | undefined =>
  contract === undefined ? undefined : { contract, ...defined({ definition }) };

/** The schemas of a pin: JSON from a server, so their types are checked. */
const schemasIn = ({ inputSchema, outputSchema }: NonNullable<Pins[string]['definition']> = {}): ToolSchemas => ({
  ...(isObject(inputSchema) ? { inputSchema: inputSchema as JsonObject } : {}),
  ...(isObject(outputSchema) ? { outputSchema: outputSchema as JsonObject } : {}),
});
