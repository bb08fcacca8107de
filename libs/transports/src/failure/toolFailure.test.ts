import type { JsonObject } from '@baton/primitives';
import { expect, test } from 'vitest';

import { toolFailure } from './toolFailure.ts';

test.each<[string, JsonObject, string]>([
  ['its text', { content: [{ type: 'text', text: 'no disk' }], structuredContent: { reason: 'x' } }, 'no disk'],
  ['the reason in its structured content', { content: [], structuredContent: { reason: 'no disk' } }, 'no disk'],
  ['the error in it', { content: [], structuredContent: { error: { message: 'no disk' } } }, 'no disk'],
  ['nothing', { content: [] }, 'The tool "save" reported an error.'],
])('a tool that fails is quoted with %s', (_, result, message) => {
  const { code, delivery, failure } = toolFailure('save', { ...result, isError: true });
  expect({ code, delivery, message: failure.message }).toEqual({ code: 'tool-failed', delivery: 'answered', message });
  expect(failure.details).toMatchObject(
    result['structuredContent'] === undefined ? {} : { structuredContent: result['structuredContent'] },
  );
});
