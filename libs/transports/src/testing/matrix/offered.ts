/** For the matrix: tools, prompts and resources of servers, and the content of answers. */
import type { JsonObject } from '@baton/primitives';
import { callContext, soon } from '@baton/testing';
import { expect } from 'vitest';

import type { TestServers } from '../testServers.ts';
import { absent, answered, getPrompt, kinds, readResource, said, since, type Feature } from './cell.ts';

const textAlone = 'server-postgres answers with text alone';
const data = 'a service answers with a text or with JSON';
const everyText = 'demo://resource/dynamic/text/';
const oneMessage = 'the protocol has one message for it, and no pages';

/** Calls a tool that is pinned with another output schema. */
const misfitting = ({ calls }: TestServers, tool: string, args: JsonObject): Promise<unknown> => {
  const definition = { outputSchema: { type: 'object', required: ['pressure'] } };
  return calls.callTool({ server: 'it', tool, arguments: args, definition }, callContext());
};

/** Baton knows the schema, so it sends nothing; where a version pins a looser one, the server refuses. */
async function refused(
  { it }: { readonly it: TestServers },
  tool: string,
  args: JsonObject,
  byServer: { readonly code?: string; readonly delivery: string },
): Promise<void> {
  await it.catalogue('it');
  expect(await it.failure('it', tool, args)).toMatchObject({ code: 'invalid-arguments', delivery: 'unsent' });
  const definition = { inputSchema: { type: 'object' } };
  const called = it.calls.callTool({ server: 'it', tool, arguments: args, definition }, callContext());
  await expect(called).rejects.toMatchObject(byServer);
}

export const offered = {
  'tools: listed, and called': {
    'server-postgres': async (use) => {
      expect((await use.it.catalogue('it')).tools.map(({ name }) => name)).toEqual(['query']);
      expect(await said(use, 'query', { sql: 'select 40 + 2 as n' })).toContain('42');
    },
    'server-everything': async (use) => {
      expect((await use.it.catalogue('it')).tools.map(({ name }) => name)).toContain('echo');
      expect(await said(use, 'echo', { message: 'hi' })).toBe('Echo: hi');
    },
    modern: async (use) => {
      expect((await use.it.catalogue('it')).tools.map(({ name }) => name)).toContain('echo');
      expect(await said(use, 'echo', { message: 'hi' })).toBe('hi');
    },
    device: async (use) => {
      const { tools } = await use.it.catalogue('it');
      expect(tools).toMatchObject([{ name: 'open', inputSchema: { required: ['speed'] } }]);
      const { result } = await answered(use, { success: true, data: 'it is open' });
      expect(result).toEqual({ content: [{ type: 'text', text: 'it is open' }] });
    },
  },

  'a tool that fails': {
    'server-postgres': async ({ it }) => {
      expect(await it.failure('it', 'query', { sql: 'selekt' })).toMatchObject({ delivery: 'answered' });
    },
    'server-everything': async ({ it }) => {
      const failed = await it.failure('it', 'get-resource-reference', { resourceId: -1 });
      expect(failed).toMatchObject({ code: 'tool-failed', delivery: 'answered' });
    },
    modern: async ({ it }) => {
      expect(await it.failure('it', 'break')).toMatchObject({ code: 'tool-failed', message: 'it is broken' });
    },
    device: async (use) => {
      await expect(answered(use, { success: false, error: 'it is stuck' })).rejects.toMatchObject({
        code: 'tool-failed',
        message: 'it is stuck',
        delivery: 'answered',
      });
    },
  },

  'a tool that is not there': {
    // The error is the server's own, and not specified.
    'server-postgres': async ({ it }) => {
      expect((await it.failure('it', 'nothing')).message).toContain('Unknown tool: nothing');
    },
    'server-everything': async ({ it }) => {
      expect(await it.failure('it', 'nothing')).toMatchObject({ code: 'tool-not-found', delivery: 'rejected' });
    },
    modern: async ({ it }) => {
      expect(await it.failure('it', 'nothing')).toMatchObject({ code: 'tool-not-found', delivery: 'rejected' });
    },
    device: async ({ it }) => {
      expect(await it.failure('it', 'close')).toMatchObject({ code: 'tool-not-found', delivery: 'unsent' });
    },
  },

  'arguments that do not fit': {
    'server-postgres': (use) => refused(use, 'query', { sql: 7 }, { delivery: 'answered' }),
    'server-everything': (use) => refused(use, 'echo', {}, { code: 'invalid-arguments', delivery: 'rejected' }),
    modern: (use) => refused(use, 'echo', {}, { code: 'invalid-arguments', delivery: 'rejected' }),
    device: async ({ it }) => {
      const unsent = { code: 'invalid-arguments', delivery: 'unsent' };
      for (const args of [{}, { speed: 0 }, { speed: true }]) {
        expect(await it.failure('it', 'open', args)).toMatchObject(unsent);
      }
    },
  },

  'structured output': {
    'server-postgres': since('2025-06-18'),
    'server-everything': async ({ it }) => {
      const args = { location: 'Chicago' };
      const { result } = await it.call('it', 'get-structured-content', args);
      expect(result['structuredContent']).toMatchObject({ temperature: expect.any(Number) as number });
      await expect(misfitting(it, 'get-structured-content', args)).rejects.toMatchObject({ code: 'invalid-result' });
    },
    modern: async ({ it }) => {
      expect((await it.call('it', 'weather')).result['structuredContent']).toEqual({ degrees: 21 });
      await expect(misfitting(it, 'weather', {})).rejects.toMatchObject({ code: 'invalid-result' });
    },
    device: async (use) => {
      const { result } = await answered(use, { success: true, data: { speed: 2 } });
      expect(result['structuredContent']).toEqual({ speed: 2 });
    },
  },

  annotations: {
    'server-postgres': since('2025-03-26'),
    'server-everything': async ({ it }) => {
      const { tools } = await it.catalogue('it');
      expect(tools.find(({ name }) => name === 'echo')?.annotations).toMatchObject({ readOnlyHint: true });
    },
    modern: async ({ it }) => {
      const { tools } = await it.catalogue('it');
      expect(tools.find(({ name }) => name === 'echo')?.annotations).toMatchObject({ readOnlyHint: true });
    },
    device: absent('a service has a description and parameters'),
  },

  images: {
    'server-postgres': absent(textAlone),
    'server-everything': async (use) => expect(await kinds(use, 'get-tiny-image')).toContain('image'),
    modern: async (use) => expect(await kinds(use, 'media')).toContain('image'),
    device: absent(data),
  },

  audio: {
    'server-postgres': since('2025-03-26'),
    'server-everything': absent('no tool of server-everything gives audio'),
    modern: async (use) => expect(await kinds(use, 'media')).toContain('audio'),
    device: absent(data),
  },

  'embedded resources': {
    'server-postgres': absent(textAlone),
    'server-everything': async (use) =>
      expect(await kinds(use, 'get-resource-reference', { resourceType: 'Text', resourceId: 1 })).toContain('resource'),
    modern: async (use) => expect(await kinds(use, 'media')).toContain('resource'),
    device: absent(data),
  },

  'links to resources': {
    'server-postgres': since('2025-06-18'),
    'server-everything': async (use) =>
      expect(await kinds(use, 'get-resource-links', { count: 2 })).toContain('resource_link'),
    modern: async (use) => expect(await kinds(use, 'media')).toContain('resource_link'),
    device: absent(data),
  },

  prompts: {
    'server-postgres': absent('server-postgres declares no prompts', async ({ it }) => {
      expect((await it.catalogue('it')).prompts).toEqual([]);
      await expect(getPrompt(it, 'any')).rejects.toMatchObject({ code: 'server-rejected' });
    }),
    'server-everything': async ({ it }) => {
      expect((await it.catalogue('it')).prompts.map(({ name }) => name)).toContain('args-prompt');
      expect(JSON.stringify(await getPrompt(it, 'args-prompt', { city: 'Paris' }))).toContain('Paris');
    },
    modern: async ({ it }) => {
      expect((await it.catalogue('it')).prompts.map(({ name }) => name)).toContain('visit');
      expect(JSON.stringify(await getPrompt(it, 'visit', { city: 'Paris' }))).toContain('Visit Paris');
    },
    device: absent('seed 000 has no prompts', async ({ it }) => {
      await expect(getPrompt(it, 'any')).rejects.toMatchObject({ code: 'tool-not-found', delivery: 'unsent' });
    }),
  },

  resources: {
    'server-postgres': async ({ it }) => {
      const { resources } = await it.catalogue('it');
      const runs = resources.find(({ name }) => name === '"run" database schema');
      expect(JSON.stringify(await readResource(it, runs?.uri ?? ''))).toContain('workflow');
    },
    'server-everything': async ({ it }) => {
      const [first] = (await it.catalogue('it')).resources;
      expect(await readResource(it, first?.uri ?? '')).toMatchObject({ contents: [{ uri: first?.uri }] });
    },
    modern: async ({ it }) => {
      expect((await it.catalogue('it')).resources).toMatchObject([{ uri: 'file:///a' }]);
      expect(await readResource(it, 'file:///a')).toMatchObject({ contents: [{ text: 'a' }] });
    },
    device: absent('seed 000 has no resources', async ({ it }) => {
      await expect(readResource(it, 'file:///a')).rejects.toMatchObject({ code: 'tool-not-found' });
    }),
  },

  'resource templates': {
    'server-postgres': absent('server-postgres has none', async ({ it }) => {
      expect(await it.catalogue('it')).toMatchObject({ resourceTemplates: [], problems: [] });
    }),
    'server-everything': async ({ it }) => {
      const uriTemplate = 'demo://resource/dynamic/text/{resourceId}';
      expect((await it.catalogue('it')).resourceTemplates).toContainEqual(
        expect.objectContaining({ uriTemplate }) as object,
      );
      const read = await readResource(it, uriTemplate, { resourceId: 7 });
      expect(read).toMatchObject({ contents: [{ uri: `${everyText}7` }] });
    },
    modern: async ({ it }) => {
      expect((await it.catalogue('it')).resourceTemplates).toMatchObject([{ uriTemplate: 'note://{id}' }]);
      expect(await readResource(it, 'note://{id}', { id: 7 })).toMatchObject({ contents: [{ text: 'note 7' }] });
    },
    device: absent('seed 000 has no resources'),
  },

  completion: {
    'server-postgres': absent('server-postgres completes nothing', async ({ it }) => {
      const found = await it.complete('it', { of: { prompt: 'any' }, argument: 'any', value: '' });
      expect(found).toEqual({ values: [], hasMore: false });
    }),
    'server-everything': async ({ it }) => {
      const of = { prompt: 'completable-prompt' };
      const first = await it.complete('it', { of, argument: 'department', value: 'S' });
      expect(first.values).toEqual(['Sales', 'Support']);
      const others = { department: 'Sales' };
      expect((await it.complete('it', { of, argument: 'name', value: '', others })).values).toContain('David');
    },
    modern: async ({ it }) => {
      const { values } = await it.complete('it', { of: { prompt: 'visit' }, argument: 'city', value: 'P' });
      expect(values).toEqual(['Paris', 'Prague']);
    },
    device: absent('no message asks for what an argument could be', async ({ it }) => {
      const asking = it.complete('it', { of: { prompt: 'any' }, argument: 'any', value: '' });
      await expect(asking).rejects.toMatchObject({ code: 'server-unknown' });
    }),
  },

  pagination: {
    'server-postgres': absent('server-postgres has one page of each', async ({ it }) => {
      expect((await it.catalogue('it')).problems).toEqual([]);
    }),
    'server-everything': absent('server-everything has one page of each', async ({ it }) => {
      expect((await it.catalogue('it')).problems).toEqual([]);
    }),
    modern: async ({ it }) => {
      expect((await it.catalogue('it')).prompts.map(({ name }) => name)).toEqual(['visit', 'leave']);
    },
    device: absent(oneMessage),
  },

  'lists that change': {
    'server-postgres': absent('server-postgres declares no changes'),
    'server-everything': async ({ open }) => {
      const changed: string[] = [];
      const onCatalogueChanged = (name: string): void => void changed.push(name);
      const it = open({}, { onCatalogueChanged });
      const listed = async () => (await it.catalogue('it')).resources.map(({ name }) => name);
      const before = await listed();
      // The test cannot see whether the client listens already.
      let count = 0;
      await soon(async () => {
        const args = { name: `${++count}.gz`, data: 'data:text/plain,hi', outputType: 'resourceLink' };
        await it.call('it', 'gzip-file-as-resource', args);
        expect(changed).toContain('it');
      });
      expect((await listed()).length).toBeGreaterThan(before.length);
    },
    modern: async ({ open }) => {
      const changed: string[] = [];
      const it = open({}, { onCatalogueChanged: (name) => changed.push(name) });
      const before = await it.catalogue('it');
      let count = 0;
      await soon(async () => {
        await it.call('it', 'grow', { name: `tool-${++count}` });
        expect(changed).toContain('it');
      });
      expect(await it.catalogue('it')).not.toBe(before);
    },
    plain: absent('nothing is heard between requests: the catalogue is read again after a while'),
    device: async ({ it, device }) => {
      device.register({ close: {} });
      await soon(async () => {
        expect((await it.catalogue('it')).tools.map(({ name }) => name)).toEqual(['open', 'close']);
      });
    },
  },
} satisfies Readonly<Record<string, Feature>>;
