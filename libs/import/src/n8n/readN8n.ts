/** Reads an exported workflow of n8n into nodes and connections. */
import { childOf } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';

import { listOf, mapOf, textOf } from '../json.ts';

export interface N8nNode {
  readonly name: string;
  /** `httpRequest`, of `n8n-nodes-base.httpRequest`. */
  readonly kind: string;
  /** Major and minor: `4.2`. */
  readonly version: number;
  readonly parameters: Readonly<Record<string, Json>>;
  /** All fields of the node. */
  readonly fields: Readonly<Record<string, Json>>;
  /** JSON pointer to the node. */
  readonly pointer: string;
  /** Names of the next nodes, by output. */
  readonly outputs: readonly (readonly string[])[];
  /** Sub-nodes, such as the model of an agent: kind of the connection, and name. */
  readonly helpers: readonly { readonly as: string; readonly name: string }[];
}

export interface N8nWorkflow {
  readonly name: string;
  readonly timezone: string | undefined;
  readonly settings: JsonObject;
  readonly nodes: ReadonlyMap<string, N8nNode>;
}

const ignored = /stickyNote$/;

export function readN8n(value: Json): N8nWorkflow {
  const { name, nodes, connections, settings } = mapOf(value);
  const edges = mapOf(connections);
  const helpers = helpersIn(edges);
  const all = listOf(nodes).flatMap((one, i): [string, N8nNode][] => {
    const fields = mapOf(one);
    const own = textOf(fields['name']) ?? `Node ${i + 1}`;
    const type = textOf(fields['type']) ?? '';
    if (ignored.test(type)) return [];
    const node: N8nNode = {
      name: own,
      kind: type.slice(type.lastIndexOf('.') + 1),
      version: typeof fields['typeVersion'] === 'number' ? fields['typeVersion'] : 1,
      parameters: mapOf(fields['parameters']),
      fields,
      pointer: childOf('/nodes', i),
      outputs: outputsOf(mapOf(edges[own])['main']),
      helpers: helpers.get(own) ?? [],
    };
    return [[own, node]];
  });
  const timezone = textOf(mapOf(settings)['timezone']);
  return {
    name: textOf(name) ?? 'imported',
    timezone: timezone === 'DEFAULT' ? undefined : timezone,
    settings: mapOf(settings),
    nodes: new Map(all),
  };
}

const outputsOf = (main: Json | undefined): string[][] =>
  listOf(main).map((targets) => [...new Set(listOf(targets).flatMap((one) => textOf(mapOf(one)['node']) ?? []))]);

function helpersIn(edges: Readonly<Record<string, Json>>): Map<string, { as: string; name: string }[]> {
  const helpers = new Map<string, { as: string; name: string }[]>();
  for (const [name, kinds] of Object.entries(edges)) {
    for (const [as, outputs] of Object.entries(mapOf(kinds))) {
      if (as === 'main') continue;
      for (const served of outputsOf(outputs).flat()) {
        helpers.set(served, [...(helpers.get(served) ?? []), { as, name }]);
      }
    }
  }
  return helpers;
}
