/** Compiled definitions by digest: `Plans` of libs/runner. Each is compiled once; the most recently used are kept. */
import { invariant } from '@baton/engine';
import type { JsonObject, Plan, ToolSchemas } from '@baton/language';
import { compile, parsing } from '@baton/language';
import { isObject } from '@baton/primitives';
import type { Plans } from '@baton/runner';
import { inTurns } from '@baton/runner';

import type { Database } from '../database/database.ts';
import type { Definition, Pins } from './definitions.ts';
import { getDefinition } from './definitions.ts';

const keptMax = 500;

export function cachedPlans(database: Database): Plans {
  const kept = new Map<string, Promise<Plan>>();
  return (digest) => {
    const plan = kept.get(digest) ?? load(database, digest);
    // Used just now, so it is the last to be dropped.
    kept.delete(digest);
    kept.set(digest, plan);
    const [oldest] = kept.keys();
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
    plan.catch(() => kept.delete(digest));
    return plan;
  };
}

async function load(database: Database, digest: string): Promise<Plan> {
  const definition = await getDefinition(database, digest);
  invariant(definition !== undefined, `no definition has the digest ${digest}`);
  return planOf(definition);
}

/** Of a definition that was stored, and therefore checked. In turns, since a large one takes its time. */
export const planOf = (definition: Definition): Promise<Plan> => inTurns(planning(definition));

function* planning({ digest, source, pins, edition }: Definition): Generator<void, Plan> {
  const { workflow } = yield* parsing(source);
  yield;
  invariant(workflow !== undefined, `the definition ${digest} was stored, and does not parse`);
  const pinOf = (server: string, tool: string): Pins[string] | undefined => pins[`${server}/${tool}`];
  return compile(workflow, {
    effects: pinOf,
    edition,
    definitions: (server, tool) => schemasIn(pinOf(server, tool)?.definition),
  });
}

/** The pins were objects from a server, stored as JSON. */
const schemasIn = ({ inputSchema, outputSchema }: NonNullable<Pins[string]['definition']> = {}): ToolSchemas => ({
  ...(isObject(inputSchema) ? { inputSchema: inputSchema as JsonObject } : {}),
  ...(isObject(outputSchema) ? { outputSchema: outputSchema as JsonObject } : {}),
});
