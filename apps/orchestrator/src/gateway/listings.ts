/** The lists of the gateway: what the servers offer, under the gateway's names. */
import { cleanText } from '@baton/primitives';
import type { Catalogue } from '@baton/protocol';
import type { Prompt, Resource, ResourceTemplateType, Tool } from '@modelcontextprotocol/server';

import { offeredName, offeredUri } from './names.ts';
import type { OfferedTool } from './serverOffers.ts';

type Catalogues = ReadonlyMap<string, Catalogue>;

const hints = {
  read: { readOnlyHint: true, idempotentHint: true, destructiveHint: false },
  idempotent: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  write: { readOnlyHint: false, idempotentHint: false },
} as const;

/** Sets the hints from the effect that Baton uses for the tool. */
export const listedTools = (tools: readonly OfferedTool[]): Tool[] =>
  tools.map(({ server, tool, effect }) => {
    const { title, description, inputSchema, outputSchema, annotations } = tool;
    return {
      name: offeredName(server, tool.name),
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      inputSchema: { ...inputSchema, type: 'object' },
      ...(outputSchema === undefined ? {} : { outputSchema: outputSchema }),
      annotations: { ...annotations, ...hints[effect.effect] },
    };
  });

export const listedPrompts = (catalogues: Catalogues): Prompt[] =>
  [...catalogues].flatMap(([server, { prompts }]) =>
    prompts.map(({ name, title, description, arguments: given }) => ({
      name: offeredName(server, name),
      ...titleFields(title, description),
      arguments: given.map((one) => ({
        name: one.name,
        ...titleFields(one.title, one.description),
        ...(one.required === undefined ? {} : { required: one.required }),
      })),
    })),
  );

export const listedResources = (catalogues: Catalogues): Resource[] =>
  [...catalogues].flatMap(([server, { resources }]) =>
    resources.map(({ uri, name, title, description, mimeType }) => ({
      uri: offeredUri(server, uri),
      name: offeredName(server, cleanText(name)),
      ...titleFields(title, description),
      ...(mimeType === undefined ? {} : { mimeType }),
    })),
  );

export const listedTemplates = (catalogues: Catalogues): ResourceTemplateType[] =>
  [...catalogues].flatMap(([server, { resourceTemplates }]) =>
    resourceTemplates.map(({ uriTemplate, name, title, description }) => ({
      uriTemplate: offeredUri(server, uriTemplate),
      name: offeredName(server, cleanText(name)),
      ...titleFields(title, description),
    })),
  );

const titleFields = (title: string | undefined, description: string | undefined) => ({
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
});
