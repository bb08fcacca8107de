/**
 * Tests of `tests/gateway.test.ts`: an author who has nothing but an MCP client writes, tries, deploys and mends
 * workflows.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { drafts } from './authoredDrafts.ts';
import { callOf, gatewayByHand, resultOf, runOf, textOf } from './gatewayByHand.ts';
import type { Installation } from './installation.ts';

interface AuthoringOptions {
  readonly baton: () => Installation;
  readonly newKey: (more?: object) => Promise<string>;
}

export function authoring({ baton, newKey }: AuthoringOptions): void {
  describe('an author with nothing but MCP', () => {
    let client: Client;
    const call = async (name: string, given: object): Promise<Record<string, unknown>> => {
      const result = await client.callTool({ name, arguments: { ...given } });
      expect(result.content).toBeDefined();
      return result.isError === true
        ? { error: textOf(result) }
        : (result.structuredContent as Record<string, unknown>);
    };

    beforeAll(async () => {
      client = new Client({ name: 'author', version: '1' });
      const key = await newKey({ scopes: ['workflows:write', 'runs:write', 'runs:read', 'questions:answer'] });
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${baton().url}/mcp`), { requestInit }));
      // From here on the client refuses an answer that does not fit the output schema of its tool.
      await client.listTools();
    });

    afterAll(() => client.close());

    test('finds the language, the servers, prompts, and how a tool is called', async () => {
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(
        expect.arrayContaining(['baton://language', 'baton://docs/triggers', 'baton://servers/work']),
      );
      const { contents } = await client.readResource({ uri: 'baton://language' });
      expect(JSON.stringify(contents)).toContain('forEach');
      const skills = new SkillsClient(client, { parseFrontmatter: (yaml) => parse(yaml) as Record<string, unknown> });
      const [skill] = (await skills.list()).skills;
      if (skill === undefined) throw new Error('no skill is offered');
      expect(skill.frontmatter).toMatchObject({ name: 'write-baton-workflows' });
      expect(await skills.read(skill)).toMatchObject({
        verified: true,
        body: expect.stringContaining('try_workflow') as string,
      });
      const guide = await skills.read(skill, 'references/LANGUAGE.md');
      expect([guide.verified, guide.text]).toEqual([true, expect.stringContaining('forEach')]);
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(['write-a-workflow', 'explain-a-run', 'review-a-workflow']);
      const { tools } = await call('find_tools', { query: 'sum of two numbers' });
      expect(tools).toMatchObject(
        expect.arrayContaining([expect.objectContaining({ name: 'every/get-sum' })]) as object,
      );
      expect(await call('find_tools', { name: 'every/get-sum' })).toMatchObject({
        step: { tool: 'every/get-sum', with: { a: 1 } },
      });
    });

    test.each(drafts)('writes, checks, mends, tries and arms %s', async (name, steps, slip, right) => {
      const draft = `workflow: ${name}\ninputs: { name: { type: string, default: ada } }\nsteps:\n  ${steps}\n`;
      const wrong = await call('check_workflow', { source: draft });
      expect(wrong).toMatchObject({ ok: false });
      expect(JSON.stringify(wrong['findings'])).toContain(right.replace(/^.*\/|:$/, ''));
      const source = draft.replace(slip, right);
      // A slip in a word of two letters may have meant another word, and an effect is the author's to say.
      expect(wrong['fixed']).toBe(['only-if', 'ask-twice'].includes(name) ? undefined : source);
      expect(await call('check_workflow', { source })).toMatchObject({ ok: true });
      expect(await call('try_workflow', { source })).toMatchObject({ status: 'succeeded' });
      const offer = await call('deploy_workflow', { source });
      expect(offer).toMatchObject({ armed: false, would: { workflow: name, replaces: 0 } });
      expect(await call('deploy_workflow', { source, confirm: 'something else' })).toMatchObject({ armed: false });
      const { digest } = offer;
      expect(await call('deploy_workflow', { source, confirm: digest })).toMatchObject({ armed: true, version: 1 });
      const ran = await client.callTool({ name: 'run_workflow', arguments: { workflow: name } });
      expect(ran.isError).not.toBe(true);
    });

    test('explains a run that failed, repairs its workflow, and hears of edits that came between', async () => {
      const source = 'workflow: fails\nsteps:\n  - { id: bad, tool: work/fail, with: { message: out of paper } }\n';
      const { digest } = await call('deploy_workflow', { source });
      await call('deploy_workflow', { source, confirm: digest });
      const repeated = await call('deploy_workflow', { source, confirm: digest });
      expect(repeated).toEqual({
        armed: false,
        newest: 1,
        next: expect.stringContaining('is this text already') as string,
      });
      const ran = await client.callTool({ name: 'run_workflow', arguments: { workflow: 'fails' } });
      const link = ran.content.find((one) => one.type === 'resource_link');
      const id = String(link?.uri).replace('run://', '');
      expect(await call('explain_run', { id })).toMatchObject({
        step: 'bad',
        target: 'work/fail',
        arguments: { message: 'out of paper' },
        error: { code: 'tool-failed', message: 'out of paper' },
      });
      const annotated = await call('repair_workflow', { id });
      expect(annotated['source']).toContain('# failed: tool-failed: out of paper');
      const mended = source.replace('work/fail', 'work/echo').replace('{ id', '{ effect: read, id');
      expect(await call('repair_workflow', { id, source: mended })).toMatchObject({
        runs: [{ before: 'failed', now: 'succeeded' }],
      });
      expect(await call('deploy_workflow', { source: mended, version: 0 })).toMatchObject({
        armed: false,
        newest: 1,
        source,
      });
      const offer = await call('deploy_workflow', { source: mended, version: 1 });
      expect(await call('deploy_workflow', { source: mended, version: 1, confirm: offer['digest'] })).toMatchObject({
        version: 2,
      });
    });

    test('deploys an edit that arms nothing new in one call, and every other edit after a look', async () => {
      const source = (steps: string, more = ''): string => `workflow: edited\n${more}steps:\n  - ${steps}\n`;
      const echo = '{ id: said, tool: work/echo, with: { message: Hi } }';
      const { digest } = await call('deploy_workflow', { source: source(echo), version: 0, confirm: 'unchanged' });
      expect(digest).toBeDefined();
      await call('deploy_workflow', { source: source(echo), confirm: digest });
      const edit = { source: source(echo.replace('Hi', 'Hello')), version: 1, confirm: 'unchanged' };
      const { version: _, ...nameless } = edit;
      expect(await call('deploy_workflow', nameless)).toMatchObject({
        armed: false,
        next: expect.stringContaining('needs the "version"') as string,
      });
      expect(await call('deploy_workflow', edit)).toMatchObject({ armed: true, version: 2 });
      const more = [
        source(`{ forEach: "\${{ range(9) }}", steps: [${echo}] }`),
        source('{ tool: work/write }'),
        source(echo, 'on: [{ schedule: "0 6 * * *" }]\n'),
      ];
      for (const text of more)
        expect(await call('deploy_workflow', { source: text, version: 2, confirm: 'unchanged' })).toMatchObject({
          armed: false,
          digest: expect.any(String) as string,
          next: expect.stringContaining('It would arm more than version 2') as string,
        });
      // No other key has edited it: this one need not name the version, and sees what it would arm.
      expect(await call('deploy_workflow', { source: source('{ set: { a: 1 } }') })).toMatchObject({
        armed: false,
        would: { replaces: 2 },
        next: expect.stringContaining('It replaces version 2, which this key deployed.') as string,
      });
    });

    test('says what can be written instead, and which tool was meant', async () => {
      const source = 'workflow: w\nsteps:\n  - { id: a, set: { x: 1 }, onError: [{ when: x, steps: [] }] }\n';
      const { findings } = await call('check_workflow', { source });
      expect(findings).toContainEqual(expect.objectContaining({ fix: expect.stringContaining('match') as string }));
      expect(await call('find_tools', { name: 'get-sum' })).toEqual({
        error: 'There is no tool "get-sum". Did you mean "every/get-sum"?',
      });
      expect(await call('check_workflow', {})).toEqual({ error: '/source "source" is missing.' });
      const wrong = 'workflow: w\nsteps:\n  - { id: a, tool: work/ecko }\n';
      expect(await call('check_workflow', { source: wrong })).toMatchObject({
        next: expect.stringContaining('Go on from `fixed`') as string,
      });
      for (const tool of ['try_workflow', 'deploy_workflow'])
        expect(await call(tool, { source: wrong })).toEqual({
          error: expect.stringMatching(/^\/steps\/0\/tool .*\ncheck_workflow shows each of these/) as string,
        });
      expect(await call('run_workflow', { workflow: 'nowhere' })).toEqual({
        error: expect.stringContaining('list_workflows names what is deployed.') as string,
      });
      expect(await call('get_run', { id: 'none' })).toEqual({
        error: 'There is no run "none".\nlist_runs names the runs.',
      });
      expect(
        await call('try_workflow', {
          source: 'workflow: w\nsteps:\n  - { fail: no }\n',
          answers: { 'work/ecko': 'x' },
        }),
      ).toMatchObject({ next: expect.stringMatching(/^It fails.*Nothing asked for the answers work\/ecko/) as string });
      expect(client.getInstructions()).toContain('baton://language');
    });

    test('reads the language and the text of a deployed workflow by tools alone', async () => {
      for (const [uri, page] of [['baton://language'], ['baton://docs/idioms', 'idioms']]) {
        const { contents } = await client.readResource({ uri: uri ?? '' });
        const read = await client.callTool({ name: 'read_language', arguments: { page } });
        expect(contents).toMatchObject([{ text: textOf(read) }]);
      }
      const { error } = await call('read_language', { page: 'idiom' });
      expect(error).toContain('The pages are language, expressions');
      const source = (n: number): string => `workflow: kept\nsteps:\n  - { set: { n: ${n} } }\n`;
      for (const n of [1, 2]) {
        const edit = { source: source(n), version: n - 1 };
        const { digest } = await call('deploy_workflow', edit);
        await call('deploy_workflow', { ...edit, confirm: digest });
      }
      const shown = async (given: object): Promise<string> =>
        textOf(await client.callTool({ name: 'get_workflow', arguments: { workflow: 'kept', ...given } }));
      expect(JSON.parse(await shown({}))).toMatchObject({ version: 2, newest: 2, source: source(2) });
      expect(JSON.parse(await shown({ version: 1 }))).toMatchObject({ version: 1, newest: 2, source: source(1) });
      expect(await shown({ version: 3 })).toContain('has no version 3; 2 is the newest');
    });

    test('says what starts a workflow that is armed', async () => {
      const source =
        'workflow: on-order\non: [{ webhook: orders, secret: ORDERS_HOOK }]\nsteps:\n  - { set: { x: 1 } }\n';
      const { digest } = await call('deploy_workflow', { source });
      const { next } = await call('deploy_workflow', { source, confirm: digest });
      expect(next).toContain('POST /v1/hooks/on-order/orders, signed with the secret ORDERS_HOOK');
    });

    test('says what a waiting, a failed and a cancelled run need', async () => {
      const start = async (name: string, step: string) => {
        const source = `workflow: ${name}\nsteps:\n  - ${step}\n`;
        const { digest } = await call('deploy_workflow', { source });
        await call('deploy_workflow', { source, confirm: digest });
        const ran = await client.callTool({ name: 'run_workflow', arguments: { workflow: name } });
        const link = ran.content.find((one) => one.type === 'resource_link');
        return { id: String(link?.uri).replace('run://', ''), text: JSON.stringify(ran.content) };
      };
      const fails = await start('gives-up', '{ fail: no }');
      const failed = {
        id: fails.id,
        workflow: 'gives-up',
        status: 'failed',
        error: expect.stringContaining('no') as string,
      };
      const listed = async (given: object) =>
        JSON.parse(textOf(await client.callTool({ name: 'list_runs', arguments: { ...given } }))) as unknown;
      expect(await listed({ workflow: 'gives-up', status: 'failed' })).toEqual({
        runs: [{ ...failed, createdAt: expect.any(String) as string }],
        causes: [
          expect.objectContaining({ workflow: 'gives-up', cause: 'workflow-failed: no', count: 1, run: fails.id }),
        ],
        next: 'get_run shows what one of them did.',
      });
      expect(await listed({ workflow: 'gives-up', status: 'succeeded' })).toMatchObject({ runs: [] });
      expect(fails.text).toContain(`get_run with { \\"id\\": \\"${fails.id}`);
      const { id } = await start('asks-on', '{ id: sure, ask: Sure?, form: { yes: { type: boolean } } }');
      const { fix } = await call('explain_run', { id });
      const [, question = ''] = /"id": "([^"]+)"/.exec(String(fix)) ?? [];
      expect(question.startsWith(id)).toBe(true);
      expect(textOf(await client.callTool({ name: 'answer_question', arguments: { id, answer: {} } }))).toContain(
        question,
      );
      const cancelled = await client.callTool({ name: 'cancel_run', arguments: { id } });
      expect(textOf(cancelled)).toContain('Cancelling has begun');
      await expect
        .poll(() => call('explain_run', { id }))
        .toMatchObject({
          status: 'cancelled',
          fix: expect.stringContaining('retry_run') as string,
        });
      const again = await client.callTool({ name: 'retry_run', arguments: { id, preview: true } });
      expect(textOf(again)).toContain('Nothing is started yet');
    });

    test('learns a workflow from a session at the gateway', async () => {
      const { post, open } = gatewayByHand(() => baton().url);
      const key = await newKey();
      const session = await open(key);
      const result = await resultOf(await post(key, callOf('work__write', { message: 'learned' }), session));
      expect(await call('learn_session', { id: runOf(result), name: 'learned-here' })).toMatchObject({
        inputs: ['message'],
        replay: { same: true, differences: [] },
      });
    });
  });
}
