/** What is valid at a place of a workflow file, by the language's schemas and the known servers and workflows. */
import { schemaOf, segmentsOf } from '@baton/expressions';
import {
  type CheckOptions,
  formOf,
  workflowShapes,
  type Offers,
  type OfferedPrompt,
  type ServerOffer,
  splitTarget,
  statePlan,
  variablesOf,
} from '@baton/language';
import { defined, isObject, once, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';

import { type SchemaNode, keywordOf, stepInto, unfold } from '../schemas/schemaNode.ts';
import { schemaShapesFor } from '../schemas/schemaShapes.ts';

export interface FilePlace {
  /** The alternatives that the value here can mean. */
  readonly nodes: readonly SchemaNode[];
  /** The same, before references and alternatives were resolved. */
  readonly declared: readonly SchemaNode[];
  /** The description of the key itself: of `with` by the language, of an argument by its tool. */
  readonly ofKey: { readonly declared: readonly SchemaNode[]; readonly isForeign: boolean };
  readonly value: Json | undefined;
  /** The enclosing maps and lists, outermost first. */
  readonly around: readonly Json[];
  readonly offers: Offers | undefined;
  /** Inside arguments, inputs or an answer: the schema is not the language's own. */
  readonly isForeign: boolean;
}

/** Computed once, since it takes some milliseconds. */
const languageShapes = once(workflowShapes);

export function placeAt(root: Json, pointer: string, known: CheckOptions): FilePlace {
  const schema = languageShapes();
  let declared: readonly SchemaNode[] = [{ schema, root: schema }];
  let nodes = declared;
  let value: Json | undefined = root;
  let offers: Offers | undefined;
  let isForeign = false;
  let ofKey = { declared, isForeign };
  const around: Json[] = [];
  for (const segment of segmentsOf(pointer)) {
    const parent: Json | undefined = value;
    if (parent !== undefined) around.push(parent);
    value = childAt(parent, segment);
    declared = stepInto(nodes, segment, parent);
    ofKey = { declared, isForeign };
    offers = declared.map((one) => keywordOf(one, 'offers') as Offers | undefined).find((one) => one !== undefined);
    const other = offers === undefined ? undefined : foreignSchema(offers, { value, owner: parent, root }, known);
    if (other !== undefined && isObject(other)) {
      isForeign = true;
      declared = [{ schema: other, root: other }];
    }
    nodes = declared.flatMap((one) => unfold(one, value));
    offers ??= nodes.map(({ schema: one }) => one['offers'] as Offers | undefined).find((one) => one !== undefined);
  }
  if (pointer === '') nodes = unfold({ schema, root: schema }, value);
  return { nodes, declared, ofKey, value, around, offers, isForeign };
}

function childAt(value: Json | undefined, segment: string): Json | undefined {
  if (Array.isArray(value)) return (value as readonly Json[])[Number(segment)];
  return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

/** The schema that replaces the language's own; undefined if there is none. */
function foreignSchema(
  offers: Offers,
  { value, owner, root }: { readonly value: Json | undefined; readonly owner: Json | undefined; readonly root: Json },
  known: CheckOptions,
): JsonSchema | undefined {
  if (offers === 'schema') return schemaShapesFor(value);
  if (offers === 'inputs') return isObject(root) && isObject(root['inputs']) ? schemaOf(root['inputs']) : undefined;
  if (!isObject(owner)) return undefined;
  if (offers === 'state')
    return isObject(root) && isObject(root['state']) ? statePlan(root['state']).schema : undefined;
  if (offers === 'answer') return formOf(isObject(owner['form']) ? { form: owner['form'] } : {});
  return offers === 'arguments' ? argumentsOf(owner, known) : undefined;
}

function argumentsOf(
  { tool, poll, event, prompt, workflow, uri }: JsonObject,
  known: CheckOptions,
): JsonSchema | undefined {
  if (typeof event === 'string') return eventNamed(event, known)?.inputSchema;
  if (typeof poll === 'string') return toolNamed(poll, known)?.inputSchema;
  if (typeof tool === 'string') return toolNamed(tool, known)?.inputSchema;
  if (typeof prompt === 'string') return schemaOfPrompt(promptNamed(prompt, known));
  if (typeof workflow === 'string') return known.workflows?.get(workflow)?.inputs;
  if (typeof uri !== 'string') return undefined;
  return { type: 'object', properties: Object.fromEntries(variablesOf(uri).map((name) => [name, { type: 'string' }])) };
}

function schemaOfPrompt(prompt: OfferedPrompt | undefined): JsonSchema | undefined {
  if (prompt === undefined) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(
      prompt.arguments.map(({ name, description }) => [name, { type: 'string', ...defined({ description }) }]),
    ),
    required: prompt.arguments.flatMap(({ name, required }) => (required === true ? [name] : [])),
  };
}

type KnownOffer = Extract<ServerOffer, { kind: 'known' }>;

const named =
  <One extends { readonly name: string }>(listed: (offer: KnownOffer) => readonly One[] | undefined) =>
  (target: string, { servers }: CheckOptions): One | undefined => {
    const [server, name] = splitTarget(target);
    const offer = servers?.get(server);
    return offer?.kind === 'known' ? listed(offer)?.find((one) => one.name === name) : undefined;
  };

export const toolNamed = named(({ tools }) => tools);
export const eventNamed = named(({ events }) => events);
export const promptNamed = named(({ prompts }) => prompts);
