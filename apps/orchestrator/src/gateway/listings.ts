/** The lists of the gateway: what the servers offer, under the gateway's names. */
import { offeredInput, offeredOutput } from '@baton/expressions';
import { type JsonObject, cleanText, defined, isObject } from '@baton/primitives';
import type { Catalogue } from '@baton/protocol';
import {
  type Icon,
  type Prompt,
  type Resource,
  type ResourceTemplateType,
  type Tool,
  isSpecType,
} from '@modelcontextprotocol/server';

import { offeredUri } from '../tools/offeredNames.ts';
import type { OfferedPrompt, OfferedTool } from '../tools/serverOffers.ts';
import { ownMeta } from './passedOn.ts';

type Catalogues = ReadonlyMap<string, Catalogue>;

const hints = {
  read: { readOnlyHint: true, idempotentHint: true, destructiveHint: false },
  idempotent: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  write: { readOnlyHint: false, idempotentHint: false },
} as const;

/** Sets the hints from the effect that Baton uses for the tool. */
export const listedTools = (tools: readonly OfferedTool[]): Tool[] =>
  tools.map(({ name, tool, effect }) => {
    const { inputSchema, outputSchema, annotations } = tool;
    const output = outputSchema === undefined ? undefined : offeredOutput(outputSchema);
    return {
      name,
      ...described(tool),
      ...(tool.title === undefined && !name.endsWith(tool.name) ? { title: cleanText(tool.name) } : {}),
      inputSchema: offeredInput(inputSchema),
      ...defined({ outputSchema: output }),
      annotations: { ...annotations, ...hints[effect.effect] },
    };
  });

export const listedPrompts = (prompts: readonly OfferedPrompt[]): Prompt[] =>
  prompts.map(({ name, prompt }) => ({
    name,
    ...described(prompt),
    arguments: prompt.arguments.map((one) => ({
      name: one.name,
      ...titled(one),
      ...defined({ required: one.required }),
    })),
  }));

export const listedResources = (catalogues: Catalogues): Resource[] =>
  [...catalogues].flatMap(([server, { resources }]) =>
    resources.map((resource) => ({
      uri: offeredUri(server, resource.uri),
      name: `${server}__${cleanText(resource.name)}`,
      ...described(resource),
      ...defined({ mimeType: resource.mimeType }),
    })),
  );

export const listedTemplates = (catalogues: Catalogues): ResourceTemplateType[] =>
  [...catalogues].flatMap(([server, { resourceTemplates }]) =>
    resourceTemplates.map((template) => ({
      uriTemplate: offeredUri(server, template.uriTemplate),
      name: `${server}__${cleanText(template.name)}`,
      ...described(template),
    })),
  );

interface Described {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly [member: string]: unknown;
}

/** What the server says of it to people and to its client's apps. An icon that is none is left out alone. */
function described(offer: Described) {
  const { icons, _meta: meta } = offer;
  const shown = Array.isArray(icons) ? icons.filter((icon): icon is Icon => isSpecType.Icon(icon)) : [];
  return {
    ...titled(offer),
    ...(shown.length === 0 ? {} : { icons: shown }),
    ...(isObject(meta) ? { _meta: ownMeta(meta as JsonObject) } : {}),
  };
}

const titled = ({ title, description }: Described) => defined({ title, description });
