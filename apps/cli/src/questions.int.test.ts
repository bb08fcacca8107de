import { type EndedProcess, jsonIn, testInstallation } from '@baton/testing';
import { expect, test } from 'vitest';

import { runCommandLine } from './program.ts';

const publish = `
workflow: publish
inputs: { title: { type: string, default: News } }
steps:
  - id: draft
    tool: tools/echo
    with: { message: "\${{ inputs.title }}" }
  - id: ok
    ask: "Publish \${{ inputs.title }}?"
outputs: { approved: "\${{ steps.ok.output.approve }}" }
`;

/** Two writes answer `written`: the last message may come from either. */
const report = `
workflow: report
steps:
  - { id: one, tool: tools/write, with: { message: The disk is full. } }
  - { id: two, tool: tools/chatter, with: { times: 2 } }
  - { id: three, tool: tools/write, with: { message: The build has failed. } }
  - { id: four, tool: tools/stubborn, with: { ms: 1 } }
  - { id: said, tool: tools/write, with: { message: written } }
`;

const { baton, write } = testInstallation({
  commandLine: runCommandLine,
  files: { 'publish.workflow.yaml': publish, 'report.workflow.yaml': report },
});

/** Watches a run at a terminal; `react` is called once for each of its texts, when that is on the screen. */
async function watched(react: Readonly<Record<string, (type: (keys: string) => void) => void>>): Promise<EndedProcess> {
  const reacted = new Set<string>();
  return baton(['run', './publish.workflow.yaml', '--watch'], {
    terminal: (shown, type) => {
      for (const [text, reaction] of Object.entries(react)) {
        if (reacted.has(text) || !shown.includes(text)) continue;
        reacted.add(text);
        reaction(type);
      }
    },
  });
}

const answerElsewhere = (): void => void baton(['answer', 'last', '-i', 'approve=false']);

test('a question is answered where the run is watched, and the watching goes on', async () => {
  const { code, stdout, stderr } = await watched({ 'Yes /': (type) => type('y') });
  expect(stderr).toContain('Publish News?');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ approved: true });
});

test('a question that is left open says how to answer it later, and is answered from elsewhere', async () => {
  const { code, stdout, stderr } = await watched({
    'Yes /': (type) => type('\u0003'),
    'Answer it later: baton answer ': answerElsewhere,
  });
  expect(stderr).not.toContain('The question is closed.');
  expect({ code, approved: JSON.parse(stdout) as unknown }).toEqual({ code: 0, approved: { approved: false } });
});

const lenient = `
workflow: lenient
steps:
  - id: ok
    ask: Publish it?
    form: { approve: { type: boolean, default: false }, note: { type: string, optional: true } }
outputs: { answer: "\${{ steps.ok.output }}" }
`;

test('a form that can be left empty is shown and asked, and no answer is recorded without a value', async () => {
  await write('lenient.workflow.yaml', lenient);
  const run = (await baton(['run', './lenient.workflow.yaml'])).stdout.trim();
  const openIds = async (): Promise<string> => (await baton(['answer', '--jq', '.[].id'])).stdout.trim();
  await expect.poll(openIds).toContain(run);
  const id = await openIds();
  const how = `Answer it: baton answer ${id} -i approve=false -i note='…'\n`;
  expect(await baton(['answer'])).toMatchObject({ code: 0, stderr: how });
  expect(await baton(['answer', run])).toEqual({
    code: 2,
    stdout: `${id}\tlenient\tok\tPublish it?\n`,
    stderr: `${how}error: Nothing was recorded: the answer has no value.\n`,
  });
  const left = await baton(['answer', run], { terminal: (_, type) => type('\u0003') });
  expect(left).toMatchObject({ code: 130, stderr: expect.stringContaining('Nothing was recorded.') as string });
  expect((await baton(['answer', run], { terminal: answering('\r', 'later\r') })).code).toBe(0);
  const output = async () =>
    JSON.parse((await baton(['runs', 'show', run, 'ok', '--jq', '.output'])).stdout) as unknown;
  await expect.poll(output).toEqual({ approve: false, note: 'later' });
});

test('such a form is asked where the run is watched, too', async () => {
  const terminal = answering('y', '\r');
  const { code, stdout } = await baton(['run', './lenient.workflow.yaml', '--watch'], { terminal });
  expect({ code, outputs: JSON.parse(stdout) as unknown }).toEqual({ code: 0, outputs: { answer: { approve: true } } });
});

test('a default that is accepted is the answer as it is written, line ends and all', async () => {
  const form = String.raw`{ approve: { type: boolean, default: false }, note: { type: string, default: "a\n  - b" } }`;
  const text = `workflow: usual\nsteps:\n  - { id: ok, ask: Publish it?, form: ${form} }\noutputs: { answer: "\${{ steps.ok.output }}" }\n`;
  await write('usual.workflow.yaml', text);
  const left = new Map([
    ['Yes /', '\r'],
    ['note', '\r'],
  ]);
  const terminal = (shown: string, type: (keys: string) => void): void => {
    const [next] = left;
    if (next === undefined || !shown.includes(next[0])) return;
    left.delete(next[0]);
    type(next[1]);
  };
  const { stdout } = await baton(['run', './usual.workflow.yaml', '--watch'], { terminal });
  expect(JSON.parse(stdout)).toEqual({ answer: { approve: false, note: 'a\n  - b' } });
});

/** Types the first keys when the first field is on the screen, then the others when the second is. */
function answering(first: string, second: string) {
  const left = new Map([
    ['Yes /', first],
    ['note (optional)', second],
  ]);
  return (shown: string, type: (keys: string) => void): void => {
    for (const [text, keys] of left) {
      if (!shown.includes(text)) continue;
      left.delete(text);
      type(keys);
    }
  };
}

test('a question that is answered from elsewhere takes its prompt away', async () => {
  const { code, stderr } = await watched({ 'Yes /': answerElsewhere });
  expect(stderr).toContain('The question is closed.');
  expect(code).toBe(0);
});

test('a run is shown with inputs, arguments and answers; a step whole; and as a filter of jq wants it', async () => {
  await watched({ 'Yes /': (type) => type('y') });
  const { stdout } = await baton(['runs', 'show', 'last']);
  expect(stdout).toMatch(
    /^2 steps succeeded in .*\. It changed nothing in the world\.\nStarted by the key admin \([^()]+\) over the API, .*\.\n\n/,
  );
  expect(stdout).toContain('title: News');
  expect(stdout).toContain('with   {"message":"News"}');
  expect(jsonIn(await baton(['runs', 'show', 'last', 'ok', '--json']))).toMatchObject({ output: { approve: true } });
  const filtered = await baton(['runs', 'show', 'last', '--jq', '.steps[] | "\\(.path): \\(.status)"']);
  expect(filtered).toMatchObject({ code: 0, stdout: 'draft: succeeded\nok: succeeded\n' });
  expect(await baton(['runs', 'ls', '-n', '1', '--jq', '.[].status'])).toMatchObject({
    code: 0,
    stdout: 'succeeded\n',
  });
  expect(await baton(['api', 'GET', 'runs', '--jq', '.data[0].status'])).toMatchObject({
    code: 0,
    stdout: 'succeeded\n',
  });
  expect(await baton(['runs', 'histogram', '--jq', '.data | length > 0'])).toMatchObject({ code: 0, stdout: 'true\n' });
  const wrong = await baton(['runs', 'ls', '--jq', '.[']);
  expect({ code: wrong.code, stdout: wrong.stdout }).toEqual({ code: 2, stdout: '' });
  expect((await baton(['runs', 'show', '01a'])).stderr).toContain('write at least 4 characters of it');
  expect((await baton(['runs', 'show', 'last', 'okay'])).stderr).toContain('its steps are draft, ok');
});

test('the address of a run in the page is printed where no browser can be opened', async () => {
  const { stdout } = await baton(['runs', 'show', 'last', '--web'], { env: { PATH: '/nowhere' } });
  expect(stdout).toMatch(/\/runs\/[\da-f-]{36}#code=/);
});

test('what is ambiguous in a run that is learned is asked at a terminal, and with --yes the likelier is taken', async () => {
  await baton(['run', './report.workflow.yaml', '--wait']);
  let isAnswered = false;
  const asked = await baton(['learn', 'last'], {
    terminal: (shown, type) => {
      if (isAnswered || !shown.includes('where "message" comes from')) return;
      isAnswered = true;
      type('\u001B[B\r');
    },
  });
  expect({ code: asked.code, isAnswered }).toEqual({ code: 0, isAnswered: true });
  const taken = await baton(['learn', 'last', '--yes'], { terminal: () => undefined });
  expect(taken.stdout).toContain('message: ${{ steps.write_2.output }}');
  expect(asked.stdout).toContain('message: ${{ steps.write.output }}');
  for (const { stderr } of [asked, taken]) expect(stderr).toContain('makes the same calls with the same arguments');
});

test('a question about a lost call shows the tool and the arguments, and a wrong name is told before a prompt', async () => {
  expect((await baton(['answer', 'last', '-i', 'happened=true'])).stderr).toContain('There are no open questions.');
  // The answer is lost: the call takes longer than it may.
  const text = `workflow: lost
steps:
  - { id: slow, tool: tools/slow, with: { ms: 60000, steps: 1 }, timeout: 200ms, effect: write, ifUnknown: ask, retry: { attempts: 1 } }
`;
  await write('lost.workflow.yaml', text);
  const { stdout } = await baton(['run', './lost.workflow.yaml']);
  await expect.poll(async () => (await baton(['answer', '--json'])).stdout).toContain(stdout.trim());
  const terminal = (_: string, type: (keys: string) => void): void => type('\u0003');
  const asked = await baton(['answer', 'last'], { terminal });
  expect(asked.stderr).toContain('tools/slow');
  expect(asked.stderr).toContain('"ms": 60000');
  const wrong = await baton(['answer', 'last', '-i', 'hapened=true'], { terminal });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "happened"?') });
  expect((await baton(['answer', 'last', '-i', 'happened=true'])).code).toBe(0);
});

test('an input with a wrong name is told before a person is asked for the right one', async () => {
  await write(
    'named.workflow.yaml',
    'workflow: named\ninputs: { version: { type: string } }\nsteps: [{ set: { a: 1 } }]\n',
  );
  const terminal = (_: string, type: (keys: string) => void): void => type('\u0003');
  const near = await baton(['run', './named.workflow.yaml', '-i', 'versin=1'], { terminal });
  expect(near).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "version"?') });
  const far = await baton(['run', './named.workflow.yaml', '-i', 'colour=red'], { terminal });
  expect(far).toMatchObject({ code: 2, stderr: expect.stringContaining('"colour"') });
});
