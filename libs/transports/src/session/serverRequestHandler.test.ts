import type { JsonObject } from '@baton/primitives';
import { ServerPolicy } from '@baton/protocol';
import { expect, test } from 'vitest';

import { ServerRequestHandler } from './serverRequestHandler.ts';

/** The form that a person is shown where a server asks with this one. */
async function shown(requestedSchema: JsonObject): Promise<unknown> {
  let asked: unknown;
  const elicitation = async (params: JsonObject): Promise<JsonObject> => {
    asked = params['requestedSchema'];
    return { action: 'decline' };
  };
  const policy = ServerPolicy.parse({ elicitation: 'ask' });
  const handlers = { elicitation };
  const heard = { onListChanged: () => {}, onResourceUpdated: () => {} };
  const send = (): Promise<void> => Promise.resolve();
  const options = { server: 's', session: 's#1', handlers, policy, root: '/', isMute: false, heard, send };
  const params = { message: 'Who?', requestedSchema };
  await new ServerRequestHandler(options).answer('elicitation/create', params, new AbortController().signal);
  return asked;
}

test('a form requires no field that no answer can have', async () => {
  const form = { type: 'object', properties: { name: { type: 'string' } } };
  expect(await shown({ ...form, required: ['name', '__proto__', 'toString'] })).toEqual({
    ...form,
    required: ['name'],
  });
  const written = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}') as JsonObject;
  expect(await shown(written)).toMatchObject({ required: [] });
  expect(await shown({ ...form, required: ['name'] })).toEqual({ ...form, required: ['name'] });
  expect(await shown(form)).toEqual(form);
});
