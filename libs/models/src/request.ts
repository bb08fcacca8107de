/**
 * The parameters of MCP's CreateMessageRequest (2025-11-25) that a model can use. `includeContext` concerns client and
 * server, and is ignored. Content of prompts (`resource`, `resource_link`) is accepted too, because a `sample` step
 * often passes on the result of `prompts/get`.
 */
import { FailureError } from '@baton/engine';
import type { JsonObject } from '@baton/primitives';
import { z } from 'zod';

const Base64 = z.base64('expected base64');

const Text = z.looseObject({ type: z.literal('text'), text: z.string() });
const Image = z.looseObject({
  type: z.literal('image'),
  data: Base64,
  mimeType: z.string().regex(/^image\/[\w.+-]+$/),
});
const Audio = z.looseObject({
  type: z.literal('audio'),
  data: Base64,
  mimeType: z.string().regex(/^audio\/[\w.+-]+$/),
});
const Resource = z.looseObject({
  type: z.literal('resource'),
  resource: z
    .looseObject({
      uri: z.string(),
      mimeType: z.string().optional(),
      text: z.string().optional(),
      blob: Base64.optional(),
    })
    .refine(({ text, blob }) => text !== undefined || blob !== undefined, 'expected "text" or "blob"'),
});
const ResourceLink = z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string().optional() });

const Block = z.discriminatedUnion('type', [Text, Image, Audio, Resource, ResourceLink]);

const Message = z.looseObject({ role: z.enum(['user', 'assistant']), content: z.union([z.array(Block), Block]) });

const Priority = z.number().min(0).max(1).optional();

const ModelPreferences = z.looseObject({
  hints: z.array(z.looseObject({ name: z.string().optional() })).optional(),
  costPriority: Priority,
  speedPriority: Priority,
  intelligencePriority: Priority,
});

const SamplingRequest = z.looseObject({
  messages: z.array(Message).min(1),
  systemPrompt: z.string().optional(),
  maxTokens: z.int().min(1).optional(),
  temperature: z.number().min(0).optional(),
  stopSequences: z.array(z.string().min(1)).optional(),
  modelPreferences: ModelPreferences.optional(),
  /** Only the end user's id reaches a provider: other metadata could change the request or its recipient. */
  metadata: z.looseObject({ userId: z.string().optional() }).optional(),
  tools: z.array(z.unknown()).max(0, 'a sample step has no tools').optional(),
});

export type Block = z.infer<typeof Block>;
export type Message = z.infer<typeof Message>;
export type ModelPreferences = z.infer<typeof ModelPreferences>;
export type SamplingRequest = z.infer<typeof SamplingRequest>;

/** Throws `FailureError` (`invalid-arguments`) with everything that is wrong. */
export function parseRequest(request: JsonObject): SamplingRequest {
  const parsed = SamplingRequest.safeParse(request);
  if (parsed.success) return parsed.data;
  throw new FailureError(
    'invalid-arguments',
    `The request cannot be sent to a model:\n${z.prettifyError(parsed.error)}`,
  );
}
