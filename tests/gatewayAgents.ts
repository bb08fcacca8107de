/** Tests of `tests/gateway.test.ts`: an agent of each era works with the servers behind the gateway. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';

import { runOf, textOf } from './gatewayByHand.ts';
import type { Installation } from './installation.ts';
import { pause } from './pause.ts';

interface GatewayAgentsOptions {
  readonly baton: () => Installation;
  readonly newKey: (more?: object) => Promise<string>;
  /** How often the tool of the server `work` or `held` was called, with this message. */
  readonly calls: (name: string, message?: string) => number;
  /** Resolves when the call has reached the server. */
  readonly sent: (name: string, message: string) => Promise<void>;
  /** What the tool of the server `changing` says of itself from now on. */
  readonly offers: (description: string) => Promise<void>;
  /** The same of the tool of the server `swapped`, whose writes a person approves, and which reports no change. */
  readonly swap: (description: string) => void;
}

export function gatewayAgents({ baton, newKey, calls, sent, offers, swap }: GatewayAgentsOptions): void {
  /** The id of the open question that shows the text. */
  const questionAbout = async (text: string): Promise<string> => {
    for (;;) {
      const { body } = await baton().api('GET', '/v1/questions');
      const found = (body['data'] as { id: string }[]).find((question) => JSON.stringify(question).includes(text));
      if (found !== undefined) return found.id;
      await pause(50);
    }
  };

  describe.each([
    ['before 2026-07-28', 'legacy'],
    ['of 2026-07-28', 'auto'],
  ] as const)('an agent %s', (_, mode) => {
    interface Connecting {
      readonly key?: string;
      readonly answer?: object;
      /** The address of the client, as a proxy tells it. */
      readonly from?: string;
    }
    const connect = async (query = '', { key, answer, from }: Connecting = {}): Promise<Client> => {
      const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
      const client = new Client(
        { name: `agent-${mode}`, version: '1' },
        { capabilities, versionNegotiation: { mode } },
      );
      if (answer !== undefined)
        client.setRequestHandler('elicitation/create', async () => answer as { action: 'accept' });
      const address = from === undefined ? {} : { 'x-forwarded-for': from };
      const requestInit = { headers: { ...address, authorization: `Bearer ${key ?? (await newKey())}` } };
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${baton().url}/mcp/gateway${query}`), { requestInit }),
      );
      return client;
    };

    test('lists and calls tools that no provider of models would take as their server has them', async () => {
      const client = await connect('?servers=odd,work');
      const { tools } = await client.listTools();
      const odd = tools.filter(({ name }) => name.startsWith('odd__'));
      expect([odd.length, tools.some(({ name }) => name === 'work__echo')]).toEqual([3, true]);
      expect(tools.filter(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
      expect(odd.at(-1)?.inputSchema).toEqual({ type: 'object', properties: { price: { maximum: 2 ** 63 } } });
      const answers = await Promise.all(odd.map(({ name }) => client.callTool({ name, arguments: {} })));
      expect(answers.map(textOf)).toEqual(['Create Share', 'x'.repeat(100), 'priced'].map((name) => `done by ${name}`));
      const whole = await client.callTool({ name: 'odd__Create Share', arguments: {} });
      expect(textOf(whole)).toBe('done by Create Share');
      await client.close();
    });

    test('works with tools of several servers, and all of it is one run', async () => {
      const client = await connect();
      // On a busy machine a server of npm starts later than the list waits for it.
      await expect
        .poll(async () => (await client.listTools()).tools.map(({ name }) => name))
        .toEqual(expect.arrayContaining(['work__echo', 'every__echo', 'work__write']));
      const said = await client.callTool({ name: 'work__echo', arguments: { message: 'one' } });
      expect(said).toMatchObject({ content: [{ type: 'text', text: 'one' }] });
      const sum = await client.callTool({ name: 'every__get-sum', arguments: { a: 2, b: 3 } });
      expect(textOf(sum)).toContain('5');
      const failed = await client.callTool({ name: 'work__fail', arguments: { message: 'no luck' } });
      expect(failed).toMatchObject({ isError: true, content: [{ text: 'no luck' }] });
      const unfit = await client.callTool({ name: 'every__get-sum', arguments: { a: 'two', b: 3 } });
      expect(unfit).toMatchObject({ isError: true });
      expect(textOf(unfit)).toContain('which was not called. "a" has to be a number');
      expect(new Set([said, sum, failed, unfit].map(runOf)).size).toBe(1);
      const run = await baton().run(runOf(said));
      expect(run).toMatchObject({
        workflow: 'session',
        trigger: { kind: 'session', detail: { client: `agent-${mode}` } },
      });
      expect(run.steps.map(({ path, status }) => [path, status])).toEqual([
        ['echo-1', 'succeeded'],
        ['get_sum-2', 'succeeded'],
        ['fail-3', 'failed'],
        ['get_sum-4', 'failed'],
      ]);
      const verified = await baton().api('POST', '/v1/audit/verify', {});
      expect(verified.body).toMatchObject({ isIntact: true, warnings: [] });
      await client.close();
    });

    test('gets prompts and resources of the servers through the same run', async () => {
      const client = await connect('?servers=every');
      const { prompts } = await client.listPrompts();
      const { resources } = await client.listResources();
      const prompt = await client.getPrompt({
        name: prompts.find(({ arguments: given }) => given?.length === 0)?.name ?? '',
      });
      expect(prompt.messages.length).toBeGreaterThan(0);
      const uri = resources[0]?.uri ?? '';
      expect(uri).toMatch(/^every\+/);
      const read = await client.readResource({ uri });
      expect(read.contents.length).toBeGreaterThan(0);
      expect(runOf(read)).toBe(runOf(prompt));
      await client.close();
    });

    test('is told which server its address misspells, and the nearest one', async () => {
      const client = await connect('?servers=evry');
      for (const ask of [() => client.listTools(), () => client.readResource({ uri: 'every+demo://one' })])
        await expect(ask()).rejects.toMatchObject({ code: -32_602, message: expect.stringMatching(/"evry".*"every"/) });
      await client.close();
    });

    test('with a key that may only read sees and calls what reads, and nothing else', async () => {
      const client = await connect('?servers=work', { key: await newKey({ effects: 'read' }) });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('work__echo');
      expect(tools.map(({ name }) => name)).not.toContain('work__write');
      const before = calls('write');
      const refused = await client.callTool({ name: 'work__write', arguments: {} });
      expect(refused).toMatchObject({ isError: true });
      expect(calls('write')).toBe(before);
      await client.close();
    });

    test('finds tools where they are not listed', async () => {
      const client = await connect('?find=1');
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['find_tools', 'call_tool']);
      const found = await client.callTool({ name: 'find_tools', arguments: { query: 'add two numbers sum' } });
      expect(textOf(found)).toContain('every__get-sum');
      const sum = await client.callTool({
        name: 'call_tool',
        arguments: { name: 'every__get-sum', arguments: { a: 2, b: 3 } },
      });
      expect(textOf(sum)).toContain('5');
      expect(runOf(sum)).not.toBe('undefined');
      await client.close();
    });

    test('is asked before a write of a server that is held for a person, where it can be asked', async () => {
      const agreeing = await connect('?servers=held', { answer: { action: 'accept', content: { approve: true } } });
      expect(textOf(await agreeing.callTool({ name: 'held__write', arguments: { message: `${mode} yes` } }))).toBe(
        'written',
      );
      expect(calls('write', `${mode} yes`)).toBe(1);
      const declining = await connect('?servers=held', { answer: { action: 'decline' } });
      const declined = await declining.callTool({ name: 'held__write', arguments: { message: `${mode} no` } });
      expect(declined).toMatchObject({ isError: true });
      expect(textOf(declined)).toContain('said no');
      expect(calls('write', `${mode} no`)).toBe(0);
      await Promise.all([agreeing.close(), declining.close()]);
    });

    test('is asked before a write is made again whose outcome is not known', async () => {
      const answers: object[] = [{ action: 'decline' }, { action: 'accept', content: { approve: true } }];
      const asked: string[] = [];
      const client = await connect('?servers=work', { answer: {} });
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params.message);
        return answers.shift() as { action: 'accept' };
      });
      const message = `${mode} in doubt`;
      const call = async (): Promise<string> =>
        textOf(await client.callTool({ name: 'work__crash', arguments: { message } }));
      expect(await call()).toMatch(/may or may not have happened.*asks a person first/s);
      expect(await call()).toContain('said no');
      expect(calls('crash', message)).toBe(1);
      await call();
      expect([asked, calls('crash', message)]).toEqual([Array(2).fill(expect.stringContaining('not known')), 2]);
      await client.close();
    });

    test('An agent is told that a call happened whose answer is lost, where the server can be asked', async () => {
      const client = await connect('?servers=asked');
      const of = `${mode} lost`;
      const told = await client.callTool({ name: 'asked__post', arguments: { of, dies: true } });
      expect(told).toMatchObject({ structuredContent: { of } });
      expect(textOf(told)).toMatch(/the call happened.*not make it again/);
      await client.close();
    });

    test('is asked before the same write goes out on another connection of its session', async () => {
      const key = await newKey();
      const message = `${mode} moved`;
      const session = `?servers=work&session=moved-${mode}`;
      const write = { name: 'work__write', arguments: { message } };
      const before = await connect(session, { key });
      for (const times of [1, 2, 3]) {
        await before.callTool(write);
        expect(calls('write', message)).toBe(times);
      }
      // In revisions without connections, an address is one.
      const after = await connect(session, { key, answer: { action: 'decline' }, from: '192.0.2.1' });
      expect(textOf(await after.callTool(write))).toContain('said no');
      expect(calls('write', message)).toBe(3);
      await after.callTool({ ...write, _meta: { idempotencyKey: `another:${mode.replaceAll(' ', '-')}` } });
      expect(calls('write', message)).toBe(4);
      await Promise.all([before.close(), after.close()]);
    });

    test('whose user answers otherwise than the form says is asked three times, and told what is wrong', async () => {
      const told: string[] = [];
      const client = await connect('?servers=held', { answer: {} });
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        told.push(params.message);
        return { action: 'accept', content: { approve: 'perhaps' } };
      });
      const message = `${mode} perhaps`;
      const refused = await client.callTool({ name: 'held__write', arguments: { message } });
      expect(told).toHaveLength(3);
      expect(told.map((one) => one.includes('has to be'))).toEqual([false, true, true]);
      expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringMatching(/has to be .* stays open/s)]);
      expect(calls('write', message)).toBe(0);
      const answer = { answer: { approve: true } };
      await baton().api('POST', `/v1/questions/${await questionAbout(message)}/answer`, answer);
      expect(textOf(await client.callTool({ name: 'held__write', arguments: { message } }))).toBe('written');
      await client.close();
    });

    test('is asked before a write where its key wants that, not only where the server does, and reads as before', async () => {
      const key = await newKey({ approve: 'write' });
      const client = await connect('?servers=work', { key, answer: { action: 'decline' } });
      const message = `${mode} key`;
      expect(textOf(await client.callTool({ name: 'work__echo', arguments: { message } }))).toBe(message);
      const declined = await client.callTool({ name: 'work__write', arguments: { message } });
      expect(textOf(declined)).toContain('said no');
      expect(calls('write', message)).toBe(0);
      await client.close();
    });

    test('that offers its model is asked by servers, and a model that fails is told to the server', async () => {
      const capabilities = { sampling: {} };
      const client = new Client(
        { name: `model-${mode}`, version: '1' },
        { capabilities, versionNegotiation: { mode } },
      );
      let isBroken = false;
      client.setRequestHandler('sampling/createMessage', async () => {
        if (isBroken) throw new Error('out of tokens');
        return { role: 'assistant', model: 'mine', content: { type: 'text', text: `said by ${mode}` } } as const;
      });
      const requestInit = { headers: { authorization: `Bearer ${await newKey()}` } };
      const url = new URL(`${baton().url}/mcp/gateway?servers=every`);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      const call = { name: 'every__trigger-sampling-request', arguments: { prompt: 'Hi', maxTokens: 9 } };
      const sampled = await client.callTool(call);
      expect(textOf(sampled)).toContain(`said by ${mode}`);
      isBroken = true;
      const broken = await client.callTool(call).then(textOf, (error: Error) => error.message);
      expect(broken).toMatch(mode === 'legacy' ? 'did not answer' : 'out of tokens');
      // A client of 2026-07-28 only stays away: for the server that is the answer after five minutes.
      const { body } = await baton().api('GET', '/v1/questions');
      const open = (body['data'] as { message: string; askedAt: string; expiresAt: string }[]).filter(({ message }) =>
        message.includes(`the model of "model-${mode}"`),
      );
      const standing = open.map(({ askedAt, expiresAt }) => Date.parse(expiresAt) - Date.parse(askedAt) <= 300_000);
      expect(standing).toEqual(mode === 'legacy' ? [] : [true]);
      await client.close();
    });

    test('that cannot be asked waits while a person answers elsewhere, and has the answer of its call', async () => {
      const client = await connect('?servers=held');
      const message = `${mode} elsewhere`;
      const call = client.callTool({ name: 'held__write', arguments: { message } });
      const question = await questionAbout(message);
      expect(calls('write', message)).toBe(0);
      await baton().api('POST', `/v1/questions/${question}/answer`, { answer: { approve: true } });
      expect(textOf(await call)).toBe('written');
      expect(calls('write', message)).toBe(1);
      await client.close();
    });

    test('has approved a tool that is another one by then: it is not called', async () => {
      const client = await connect('?servers=swapped');
      const sending = async (message: string) => {
        const call = client.callTool({ name: 'swapped__send', arguments: { message } });
        const question = await questionAbout(message);
        return { call, approve: () => baton().api('POST', `/v1/questions/${question}/answer`, approved) };
      };
      const approved = { answer: { approve: true } };
      const first = await sending(`${mode} as it was`);
      await first.approve();
      expect(textOf(await first.call)).toBe('done by send');
      const second = await sending(`${mode} swapped`);
      swap('Sends it to all.');
      await second.approve();
      const refused = await second.call;
      expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringMatching(/changed .*Nothing was called/)]);
      swap('Sends it.');
      await client.close();
    });

    test('hears that the tools of a server have changed', async () => {
      const client = await connect('?servers=changing');
      const heard: number[] = [];
      client.setNotificationHandler('notifications/tools/list_changed', async () => void heard.push(1));
      if (mode === 'auto') await client.listen({ toolsListChanged: true });
      await client.listTools();
      // A client of the older kind opens its stream by itself, and may not have it yet when the tools first change.
      for (let change = 1; heard.length === 0; change += 1) {
        await offers(`Heard ${mode}, change ${change}.`);
        const until = performance.now() + 2_000;
        while (heard.length === 0 && performance.now() < until) await pause(20);
      }
      expect(heard).not.toEqual([]);
      await offers('As it was.');
      await client.close();
    });

    test('that gives a call up goes on in its session, and the same write later finds the answer', async () => {
      const client = await connect('?servers=work');
      const given = { name: 'work__stubborn', arguments: { message: `${mode} given up`, ms: 1_000 } };
      const leaving = new AbortController();
      const left = client.callTool(given, { signal: leaving.signal });
      await sent('stubborn', `${mode} given up`);
      leaving.abort();
      await expect(left).rejects.toThrow('abort');
      expect(textOf(await client.callTool({ name: 'work__echo', arguments: { message: 'on' } }))).toBe('on');
      const again = await client.callTool(given);
      expect([textOf(again), again._meta]).toMatchObject(['done nevertheless', { 'baton/repeated': true }]);
      expect(calls('stubborn', `${mode} given up`)).toBe(1);
      await client.close();
    });

    test('is told what another may mend, and told of tools that have changed', async () => {
      const client = await connect('?servers=changing,work');
      await client.listTools();
      const misspelt = await client.callTool({ name: 'work__ecko', arguments: {} });
      expect(textOf(misspelt)).toContain('work__echo');
      await offers('Now another.');
      const refused = await client.callTool({ name: 'changing__first', arguments: {} });
      expect(textOf(refused)).toContain('definition has changed');
      await client.listTools();
      const accepted = await client.callTool({ name: 'changing__first', arguments: {} });
      expect(accepted.isError).not.toBe(true);
      await offers('As it was.');
      await client.close();
    });
  });
}
