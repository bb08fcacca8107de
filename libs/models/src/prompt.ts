/**
 * Converts a conversation for the AI SDK. Data is passed as bytes, because the SDK would fetch a text that looks like a
 * URL.
 */
import type { ModelMessage } from 'ai';

import type { Block, Message } from './request.ts';

type PromptPart = { type: 'text'; text: string } | { type: 'file'; data: Uint8Array; mediaType: string };

export function promptOf(messages: readonly Message[]): ModelMessage[] {
  return messages.map(({ role, content }) => ({ role, content: [content].flat().map(partOf) }));
}

function partOf(block: Block): PromptPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return fileOf(block.data, block.mimeType);
    case 'resource_link':
      return { type: 'text', text: `Resource ${block.name ?? ''} <${block.uri}>` };
    case 'resource': {
      const { uri, mimeType = 'application/octet-stream', text, blob } = block.resource;
      if (blob !== undefined) return fileOf(blob, mimeType);
      return { type: 'text', text: `Resource <${uri}>:\n${text ?? ''}` };
    }
  }
}

const fileOf = (base64: string, mediaType: string): PromptPart => ({
  type: 'file',
  data: new Uint8Array(Buffer.from(base64, 'base64')),
  mediaType,
});
