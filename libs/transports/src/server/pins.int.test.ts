/** Tools held against what a version relies on, over a real server that changes what it offers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { FailureError } from '@baton/engine';
import { driftText, readServers, type PinnedTool, type ServersConfig } from '@baton/protocol';
import { callContext, offeringServer, toolsServer, soon } from '@baton/testing';
import { expect, test } from 'vitest';

import { newFolder, newLedger, textOf, trial } from '../testing/testServers.ts';
import { checkPins } from './pins.ts';

type Pins = Readonly<Record<string, PinnedTool>>;

async function setUp(
  policy: object = {},
): Promise<{ servers: ReturnType<typeof trial>; config: ServersConfig; pins: Pins }> {
  const entries = { tools: { ...toolsServer(newLedger()), baton: policy } };
  const servers = trial(entries);
  const { tools } = await servers.catalogue('tools');
  const pins = Object.fromEntries(tools.map(({ name, digests }) => [`tools/${name}`, digests]));
  return { servers, config: readServers(JSON.stringify({ mcpServers: entries })).config, pins };
}

const otherContract = (pins: Pins): Pins => ({ ...pins, 'tools/echo': { ...pins['tools/echo'], contract: 'another' } });

test('[L-153] tools that are as they were hold nothing up', async () => {
  const { servers, config, pins } = await setUp();
  expect(await checkPins(pins, servers, config)).toEqual({ blocking: [], warnings: [] });
});

test('[L-153] a changed contract, and a tool that is gone, block', async () => {
  const { servers, config, pins } = await setUp();
  const { blocking } = await checkPins(
    { ...otherContract(pins), 'tools/gone': pins['tools/echo'] ?? {} },
    servers,
    config,
  );
  expect(blocking.map(({ tool, kind }) => [tool, kind])).toEqual([
    ['tools/echo', 'contract'],
    ['tools/gone', 'gone'],
  ]);
});

test('[L-153] the server’s policy makes a warning of it, or nothing', async () => {
  const warned = await setUp({ tools: 'warn' });
  const { blocking, warnings } = await checkPins(otherContract(warned.pins), warned.servers, warned.config);
  expect([blocking.length, warnings.length]).toEqual([0, 1]);
  const { servers, config, pins } = await setUp({ tools: 'accept' });
  expect(await checkPins(otherContract(pins), servers, config)).toEqual({ blocking: [], warnings: [] });
});

test('a tool that the server has more than before is no drift', async () => {
  const { servers, config, pins } = await setUp();
  await servers.call('tools', 'grow', { name: 'brand-new' });
  await soon(async () => {
    const { tools } = await servers.catalogue('tools');
    expect(tools.map(({ name }) => name)).toContain('brand-new');
  });
  expect(await checkPins(pins, servers, config)).toEqual({ blocking: [], warnings: [] });
});

test('a server that cannot be asked is not judged', async () => {
  const entries = { broken: { command: 'node', args: ['-e', 'process.exit(3)'] } };
  const config = readServers(JSON.stringify({ mcpServers: entries })).config;
  const pins = { 'broken/a': { contract: 'x', text: 'y' }, 'unknown/a': { contract: 'x', text: 'y' } };
  expect(await checkPins(pins, trial(entries), config)).toEqual({ blocking: [], warnings: [] });
});

/** A server that reports no change, and a call that the run makes after a pause. */
async function afterPause(policy: object, change: object, pinned: 'contract' | 'text' = 'contract') {
  const file = join(newFolder(), 'tools.json');
  const tool = { name: 'send', description: 'Sends it.', inputSchema: { type: 'object' } };
  const servers = trial({ mail: { ...offeringServer(file, [tool]), baton: policy } });
  const [listed] = (await servers.catalogue('mail')).tools;
  const { contract, text } = listed?.digests ?? { contract: '', text: '' };
  const pin = pinned === 'text' ? { contract, text } : { contract };
  const readAt = Date.now();
  writeFileSync(file, JSON.stringify('name' in change || !('gone' in change) ? [{ ...tool, ...change }] : []));
  const call = (context: object) =>
    servers.calls
      .callTool({ server: 'mail', tool: 'send', arguments: {}, pin }, callContext(context))
      .then(textOf, (error: FailureError) => `${error.code} ${error.delivery}: ${error.message}`);
  return { call, readAt };
}

test('A tool that changed while a run waited is described as it is where a run begins.', async () => {
  const file = join(newFolder(), 'tools.json');
  const tool = { name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true, title: 'Look' } };
  const entries = { mail: offeringServer(file, [tool]) };
  const servers = trial(entries);
  const [listed] = (await servers.catalogue('mail')).tools;
  const { inputSchema, annotations } = tool;
  const pin = { contract: listed?.digests.contract ?? '', definition: { inputSchema, annotations } };
  const said = async (change: object): Promise<unknown> => {
    const readAt = Date.now();
    writeFileSync(file, JSON.stringify([{ ...tool, ...change }]));
    const call = { server: 'mail', tool: 'look', arguments: {}, pin };
    const refused = servers.calls.callTool(call, callContext({ toolsReadSince: readAt + 1 }));
    const { message } = await refused.then(
      () => ({ message: 'It was called.' }),
      (error: FailureError) => error,
    );
    const { config } = readServers(JSON.stringify({ mcpServers: entries }));
    const { blocking } = await checkPins({ 'mail/look': pin }, servers, config);
    const asAtStart = blocking.map(driftText).join(' ');
    return [message.startsWith(asAtStart), asAtStart];
  };
  const lost = 'mail/look: The annotation readOnlyHint was true, and is not there';
  expect(await said({ annotations: { title: 'Look' } })).toEqual([true, `${lost}.`]);
  expect(await said({ annotations: { title: 'Look', destructiveHint: true } })).toEqual([
    true,
    `${lost}; The annotation destructiveHint was not there, and is true.`,
  ]);
  expect(await said({ inputSchema: { type: 'object', properties: { deep: { type: 'boolean' } } } })).toEqual([
    true,
    'mail/look: The argument "deep" is new.',
  ]);
});

const otherArguments = { inputSchema: { type: 'object', properties: { bcc: { type: 'string', default: 'x' } } } };

test.each<[string, object, 'contract' | 'text']>([
  ['takes other arguments', otherArguments, 'contract'],
  ['is gone', { gone: true }, 'contract'],
  ['is described otherwise', { description: 'Sends it to all.' }, 'text'],
])('a tool that %s after a pause is not called', async (_, change, pinned) => {
  const { call, readAt } = await afterPause({}, change, pinned);
  expect(await call({ toolsReadSince: readAt + 1 })).toMatch(
    /^tool-changed unsent: mail\/send: .* Nothing was called\.$/,
  );
});

test('a tool whose text alone is another one is called where only its contract is pinned', async () => {
  const { call, readAt } = await afterPause({}, { description: 'Sends it to all.' });
  expect(await call({ toolsReadSince: readAt + 1 })).toBe('done by send');
});

test.each(['warn', 'accept'])('a tool that changed is called where the policy of its server is `%s`', async (tools) => {
  const { call, readAt } = await afterPause({ tools }, otherArguments);
  expect(await call({ toolsReadSince: readAt + 1 })).toBe('done by send');
});

test.each<[string, object, RegExp]>([
  [
    'another tool',
    otherArguments,
    /^tool-changed unsent: mail\/send: .* since the workflow was checked\. Nothing was called\.$/,
  ],
  ['a tool whose text alone differs', { description: 'Sends it to all.' }, /^done by send$/],
])(
  'the first call to a server that has not listed its tools yet waits for the list, and meets %s',
  async (_, change, said) => {
    const file = join(newFolder(), 'tools.json');
    const tool = { name: 'send', description: 'Sends it.', inputSchema: { type: 'object' } };
    const before = trial({ mail: offeringServer(file, [tool]) });
    const [listed] = (await before.catalogue('mail')).tools;
    const pin = { contract: listed?.digests.contract ?? '' };
    const servers = trial({ mail: offeringServer(file, [{ ...tool, ...change }]) });
    const called = servers.calls
      .callTool({ server: 'mail', tool: 'send', arguments: {}, pin }, callContext())
      .then(textOf, (error: FailureError) => `${error.code} ${error.delivery}: ${error.message}`);
    expect(await called).toMatch(said);
  },
);

test('a server that cannot be opened fails the first call once, as the call itself would', async () => {
  const servers = trial({ mail: { command: 'node', args: ['-e', 'process.exit(3)'] } });
  const pin = { contract: 'x', text: 'y' };
  const call = { server: 'mail', tool: 'send', arguments: {} };
  const [held, free] = await Promise.all(
    [{ ...call, pin }, call].map(async (one) =>
      servers.calls.callTool(one, callContext()).catch((error: FailureError) => [error.code, error.delivery]),
    ),
  );
  expect(held).toEqual(free);
});

test('a list that was read after the pause, and a run without one, need no further reading', async () => {
  const { call, readAt } = await afterPause({}, otherArguments);
  expect([await call({}), await call({ toolsReadSince: readAt - 60_000 })]).toEqual(['done by send', 'done by send']);
});
