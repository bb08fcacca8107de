import type { Json, JsonObject } from '@baton/primitives';
import { expect, test } from 'vitest';

import { promptOf } from './prompt.ts';
import { parseRequest } from './request.ts';

const text = { type: 'text', text: 'Hello' };
const request = (content: Json, more: JsonObject = {}): JsonObject => ({
  messages: [{ role: 'user', content }],
  ...more,
});

test('the result of a prompt can be sent as a request', () => {
  const { messages } = parseRequest(
    request([
      { ...text, annotations: { audience: ['user'] } },
      { type: 'image', data: 'AAEC', mimeType: 'image/png' },
      { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'of a file' } },
      { type: 'resource', resource: { uri: 'file:///b', blob: 'AAEC', mimeType: 'application/pdf' } },
      { type: 'resource_link', uri: 'file:///c', name: 'c' },
    ]),
  );
  const data = new Uint8Array([0, 1, 2]);
  expect(promptOf(messages)).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'file', data, mediaType: 'image/png' },
        { type: 'file', data, mediaType: 'audio/wav' },
        { type: 'text', text: 'Resource <file:///a>:\nof a file' },
        { type: 'file', data, mediaType: 'application/pdf' },
        { type: 'text', text: 'Resource c <file:///c>' },
      ],
    },
  ]);
});

test('parameters that concern only the client are ignored', () => {
  const more = { includeContext: 'allServers', metadata: { mcpServers: [1] }, tools: [], _meta: {} };
  expect(() => parseRequest(request(text, more))).not.toThrow();
});

test.each<[JsonObject, string]>([
  [{}, 'messages'],
  [{ messages: [] }, 'messages'],
  [{ messages: [{ role: 'system', content: text }] }, 'messages[0].role'],
  [request('Hello'), 'messages[0].content'],
  [request({ type: 'image', data: 'http://169.254.169.254/', mimeType: 'image/png' }), 'messages[0].content'],
  [request({ type: 'image', data: 'AAEC', mimeType: 'text/html' }), 'messages[0].content'],
  [request({ type: 'tool_use', id: '1', name: 'x', input: {} }), 'messages[0].content'],
  [request({ type: 'resource', resource: { uri: 'file:///a' } }), 'messages[0].content'],
  [request(text, { maxTokens: 0 }), 'maxTokens'],
  [request(text, { temperature: 'hot' }), 'temperature'],
  [request(text, { modelPreferences: { speedPriority: 2 } }), 'modelPreferences.speedPriority'],
  [request(text, { tools: [{ name: 'x' }] }), 'a sample step has no tools'],
])('%j is refused before anyone is asked', (json, place) => {
  expect(() => parseRequest(json)).toThrow(
    expect.objectContaining({
      failure: { code: 'invalid-arguments', message: expect.stringContaining(place) as string },
      delivery: 'unsent',
    }),
  );
});
