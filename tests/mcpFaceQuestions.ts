/** Tests of `mcpFace.test.ts`: what runs ask of clients, of their users and of their models. */
import { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import type { Installation } from './installation.ts';
import type { McpClients } from './mcpFaceClients.ts';

/** The run as the client reads it, as text. */
const endOf =
  (client: Client, id: string): (() => Promise<string>) =>
  async () =>
    JSON.stringify((await client.callTool({ name: 'get_run', arguments: { id } })).content);

export function questionTests({ mode, open, connect, sampling }: McpClients, baton: () => Installation): void {
  test('is asked what the run asks, and the run goes on with the answer', async () => {
    const client = await connect({ yes: true });
    const result = await client.callTool({ name: 'approve', arguments: {} });
    expect(result).toMatchObject({ structuredContent: { yes: true } });
    await client.close();
  });

  test('is shown the address that the user is to open, and the user’s consent is the answer', async () => {
    const options = { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode } };
    const client = new Client({ name: 'test', version: '1' }, options);
    const shown: unknown[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      shown.push(params);
      return { action: 'accept' };
    });
    await open(client);
    const { structuredContent } = await client.callTool({ name: 'agree', arguments: {} });
    expect(shown).toMatchObject([{ mode: 'url', url: 'https://example.com/agree' }]);
    expect(JSON.stringify(structuredContent)).toContain('User completed');
    await client.close();
  });

  test('that shows no addresses is not asked to open one: a person elsewhere is', async () => {
    const client = await connect({ accept: true });
    const called = await client.callTool({ name: 'agree', arguments: {} });
    const { run } = called.structuredContent as { run: { id: string } };
    const asked = async () =>
      (await baton().api('GET', '/v1/questions?workflow=agree')).body['data'] as { id: string }[];
    await expect.poll(asked).toHaveLength(1);
    const [question] = await asked();
    await baton().api('POST', `/v1/questions/${question?.id ?? ''}/answer`, { answer: { accept: false } });
    expect(called.structuredContent).toMatchObject({ run: { status: 'waiting' }, questions: [{ id: question?.id }] });
    await expect.poll(endOf(client, run.id)).toContain('User declined');
    await client.close();
  });

  test('that cannot be asked is told the question at once, and how it is answered', async () => {
    const client = await connect();
    const { content, structuredContent } = await client.callTool({ name: 'approve', arguments: {} });
    const { run, questions } = structuredContent as {
      run: { id: string };
      questions: { id: string; message: string }[];
    };
    expect(questions).toMatchObject([{ message: 'Go on?', form: { properties: { yes: { type: 'boolean' } } } }]);
    expect(JSON.stringify(content)).toContain('answer_question');
    const given = { id: questions[0]?.id, answer: { yes: false } };
    await client.callTool({ name: 'answer_question', arguments: given });
    await expect.poll(endOf(client, run.id)).toMatch(/outputs.{1,10}yes.{1,5}false/);
    await client.close();
  });

  test('whose user answers otherwise than the form says is told the question, which stays open', async () => {
    const client = await connect({ yes: 'perhaps' });
    const { content, structuredContent } = await client.callTool({ name: 'approve', arguments: {} });
    const { run, questions } = structuredContent as { run: { id: string }; questions: { id: string }[] };
    expect(JSON.stringify(content)).toContain('answer_question');
    await client.callTool({ name: 'answer_question', arguments: { id: questions[0]?.id, answer: { yes: true } } });
    await expect.poll(endOf(client, run.id)).toMatch(/outputs.{1,10}yes.{1,5}true/);
    await client.close();
  });

  test('whose dialog throws is told the question, which stays open, or has the run without its model', async () => {
    if (mode === 'auto') return;
    const broken = async (): Promise<never> => Promise.reject(new Error('no window'));
    const client = await connect({});
    client.setRequestHandler('elicitation/create', broken);
    const { content, structuredContent } = await client.callTool({ name: 'approve', arguments: {} });
    const { run, questions } = structuredContent as { run: { id: string }; questions: { id: string }[] };
    expect(JSON.stringify(content)).toMatch(/no window.*answer_question/);
    await client.callTool({ name: 'answer_question', arguments: { id: questions[0]?.id, answer: { yes: false } } });
    await expect.poll(endOf(client, run.id)).toMatch(/outputs.{1,10}yes.{1,5}false/);
    await client.close();
    const mute = await sampling(() => '');
    mute.setRequestHandler('sampling/createMessage', broken);
    const failed = await mute.callTool({ name: 'rates', arguments: {} });
    expect(JSON.stringify(failed)).toMatch(/model-failed: The calling MCP client failed to ask its model: .*no window/);
    await mute.close();
  });

  test('is asked for what its model says, free or typed, and the run goes on with that', async () => {
    const prompts: (string | undefined)[] = [];
    const client = await sampling((text, systemPrompt) => {
      prompts.push(systemPrompt);
      if (text === 'Name a city.') return 'Chicago';
      return text === 'Rate Chicago.' ? 'rather good' : '```json\n{ "score": 7 }\n```';
    });
    const result = await client.callTool({ name: 'rates', arguments: {} });
    expect(result).toMatchObject({ structuredContent: { city: 'Chicago', score: 7 } });
    // The typed one was told what was wrong with its first answer.
    expect(prompts.map((prompt) => prompt?.includes('"score"'))).toEqual([undefined, true, true]);
    await client.close();
  });

  test('learns what of its model’s answer does not fit, and that it cannot be asked without saying that it can', async () => {
    const vague = await sampling(() => 'rather good');
    const wrong = await vague.callTool({ name: 'rates', arguments: {} });
    expect(wrong).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringContaining('output-invalid') as string },
        {},
        { text: expect.stringContaining('get_run') as string },
      ],
    });
    await vague.close();
    const mute = await connect();
    const absent = await mute.callTool({ name: 'rates', arguments: {} });
    expect(absent).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringContaining('caller-absent') as string },
        {},
        { text: expect.stringContaining('get_run') as string },
      ],
    });
    await mute.close();
  });
}
