/** For the matrix: requests and notifications of servers. */
import { encodeText } from '@baton/protocol';
import { soon } from '@baton/testing';
import { expect } from 'vitest';

import type { Handlers, ServerLog } from '../../session/handlers.ts';
import type { ResourceUpdate } from '../../session/subscriptions.ts';
import { textOf, type TestServers } from '../testServers.ts';
import { absent, type AbsentFeature, type Feature, type CellUse } from './cell.ts';

const mute = 'an answer is all that ever comes back';
const never = 'server-postgres asks for nothing';
const noAsking = 'a device has no message for it';

const sampled = { role: 'assistant', content: { type: 'text', text: 'indeed' }, model: 'm', stopReason: 'endTurn' };
const sampling: Handlers = { sampling: async () => sampled };
const elicitation: Handlers = { elicitation: async () => ({ action: 'accept', content: { name: 'Ada' } }) };

/** A person who opens every address, and the addresses. */
function opening(): { readonly asked: unknown[]; readonly handlers: Handlers } {
  const asked: unknown[] = [];
  const elicitation: Handlers['elicitation'] = async ({ mode, url }) => {
    asked.push(mode === 'url' ? url : mode);
    return { action: 'accept' };
  };
  return { asked, handlers: { elicitation } };
}

/** Waits for a tool that the server adds once it knows the client's capabilities. */
const offering = (it: TestServers, tool: string): Promise<void> =>
  soon(async () => {
    expect((await it.catalogue('it')).tools.map(({ name }) => name)).toContain(tool);
  });

/** Without the capability, a tool that would ask is not offered, or fails. */
const unheard = (tools: readonly string[], baton: object, handlers: Handlers): AbsentFeature<CellUse> =>
  absent(mute, async ({ open }) => {
    const it = open(baton, { handlers });
    const { tools: offered } = await it.catalogue('it');
    for (const { name } of offered.filter((one) => tools.includes(one.name))) {
      expect(await it.failure('it', name)).toMatchObject({ code: 'tool-failed' });
    }
  });

async function updated(it: TestServers, uri: string, touch: () => Promise<unknown>): Promise<void> {
  const updates: ResourceUpdate[] = [];
  const { close } = await it.subscribe('it', uri, (update) => updates.push(update));
  await touch();
  await soon(() => expect(updates).toContainEqual({ uri, isGap: false }));
  close();
}

export const asked = {
  subscriptions: {
    'server-postgres': absent('server-postgres does not tell of changes', async ({ it }) => {
      const subscribing = it.subscribe('it', 'postgres:///run/schema', () => {});
      await expect(subscribing).rejects.toMatchObject({ code: 'server-rejected' });
    }),
    'server-everything': async ({ open }) => {
      const it = open();
      await updated(it, 'demo://resource/dynamic/text/1', () => it.call('it', 'toggle-subscriber-updates'));
    },
    modern: ({ it }) => updated(it, 'file:///a', () => it.call('it', 'touch', { uri: 'file:///a' })),
    plain: absent(mute),
    device: absent('seed 000 has no resources'),
  },

  logging: {
    'server-postgres': absent('server-postgres reports nothing'),
    'server-everything': async ({ open }) => {
      const logs: ServerLog[] = [];
      const it = open({ logLevel: 'debug' }, { handlers: { log: (entry) => logs.push(entry) } });
      await it.subscribe('it', 'demo://resource/dynamic/text/1', () => {});
      await soon(() => expect(logs.map(({ message }) => message).join()).toContain('Subscribe'));
    },
    modern: async ({ open }) => {
      const logs: ServerLog[] = [];
      const it = open({ logLevel: 'warning' }, { handlers: { log: (entry) => logs.push(entry) } });
      await it.call('it', 'log');
      await soon(() => expect(logs).toMatchObject([{ level: 'warning', logger: 'disk', message: 'full' }]));
    },
    plain: absent(mute),
    device: absent(noAsking),
  },

  roots: {
    'server-postgres': absent(never),
    'server-everything': async ({ open }) => {
      const it = open({ roots: ['data'] });
      await offering(it, 'get-roots-list');
      expect(textOf(await it.call('it', 'get-roots-list'))).toContain('/data');
    },
    modern: async ({ open }) => {
      expect(textOf(await open({ roots: ['data'] }).call('it', 'ask-roots'))).toContain('/data');
    },
    plain: absent(mute),
    device: absent(noAsking),
  },

  sampling: {
    'server-postgres': absent(never),
    'server-everything': async ({ open }) => {
      const it = open({ sampling: 'allow' }, { handlers: sampling });
      await offering(it, 'trigger-sampling-request');
      const answer = await it.call('it', 'trigger-sampling-request', { prompt: 'x', maxTokens: 5 });
      expect(textOf(answer)).toContain('indeed');
    },
    modern: async ({ open }) => {
      const it = open({ sampling: 'allow' }, { handlers: sampling });
      expect(textOf(await it.call('it', 'ask-model'))).toContain('indeed');
    },
    plain: unheard(['ask-model', 'trigger-sampling-request'], { sampling: 'allow' }, sampling),
    device: absent(noAsking),
  },

  elicitation: {
    'server-postgres': absent(never),
    'server-everything': async ({ open }) => {
      const it = open({ elicitation: 'ask' }, { handlers: elicitation });
      await offering(it, 'trigger-elicitation-request');
      expect(JSON.stringify((await it.call('it', 'trigger-elicitation-request')).result)).toContain('Ada');
    },
    modern: async ({ open }) => {
      const it = open({ elicitation: 'ask' }, { handlers: elicitation });
      expect(textOf(await it.call('it', 'ask-person'))).toContain('Ada');
    },
    plain: unheard(['ask-person', 'trigger-elicitation-request'], { elicitation: 'ask' }, elicitation),
    device: absent(noAsking),
  },

  'addresses to be opened': {
    'server-postgres': absent('came with 2025-11-25'),
    'server-everything': async ({ open }) => {
      const { asked, handlers } = opening();
      const it = open({ elicitation: 'ask' }, { handlers });
      await offering(it, 'trigger-url-elicitation');
      const url = 'https://example.com/agree';
      const agreed = await it.call('it', 'trigger-url-elicitation', { url, message: 'Agree there.' });
      expect(textOf(agreed)).toContain('User completed');
      // Turned away until another address was opened, it is asked again.
      const again = await it.call('it', 'trigger-url-elicitation', { url, message: 'Agree there.', errorPath: true });
      expect(textOf(again)).toContain('User completed');
      expect(asked).toEqual([url, 'https://modelcontextprotocol.io', url]);
    },
    modern: async ({ open }) => {
      const { asked, handlers } = opening();
      const it = open({ elicitation: 'ask' }, { handlers });
      expect(textOf(await it.call('it', 'ask-address'))).toContain('accept');
      expect(asked).toEqual(['https://example.com/agree']);
    },
    plain: absent(mute),
    device: absent(noAsking),
  },

  'texts that are answered': {
    'server-postgres': absent('MCP has nothing of the kind'),
    'server-everything': absent('MCP has nothing of the kind'),
    modern: absent('MCP has nothing of the kind'),
    device: async ({ device }) => {
      device.write(encodeText('task0001', 'Let me in'));
      expect(await device.next()).toMatchObject({ kind: 'text', taskId: 'task0001', text: 'it task0001: Let me in' });
      expect(await device.next()).toMatchObject({ kind: 'end', taskId: 'task0001' });
    },
  },
} satisfies Readonly<Record<string, Feature>>;
