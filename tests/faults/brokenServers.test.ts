import { type ScriptedHttp, brokenServer, startScriptedHttp } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation } from '../installation.ts';

let baton: Installation;
let web: ScriptedHttp;

beforeAll(async () => {
  web = await startScriptedHttp();
  const impatient = { baton: { openTimeout: '2s' } };
  baton = await Installation.start({
    servers: {
      missing: { command: 'no-such-command-anywhere', args: ['--flag'] },
      exits: { ...brokenServer('exits'), ...impatient },
      rubbish: { ...brokenServer('rubbish'), ...impatient },
      silent: { ...brokenServer('silent'), ...impatient },
      web: { url: web.url },
    },
  });
});

afterAll(async () => {
  await baton.stop();
  await web.close();
});

test.concurrent.each([
  ['is not there', 'missing', ['no-such-command-anywhere']],
  ['exits at once', 'exits', ['broken.mjs', 'exit code 3', 'cannot read the configuration']],
  ['prints rubbish', 'rubbish', ['broken.mjs', 'Welcome to the server!', 'starting up']],
  ['never answers', 'silent', ['broken.mjs', 'I say nothing']],
])(
  'a server that %s: the step fails and says what was started, how it ended and what it said last',
  async (_, name, parts) => {
    const step = `{ id: ask, tool: ${name}/anything, retry: { attempts: 1 } }`;
    const workflow = await baton.deploy(`workflow: ask-${name}\nsteps: [${step}]\n`);
    const run = await baton.ended(await baton.start(workflow));
    expect(run).toMatchObject({ status: 'failed', error: { step: 'ask' } });
    for (const part of parts) expect(JSON.stringify(run.error)).toContain(part);
  },
);

test('a server that is restarted in the middle of a run is found again, and each step is called once', async () => {
  const workflow = await baton.deploy(`workflow: restarted
steps:
  - { id: before, tool: web/json, effect: write }
  - { id: go, wait: { signal: go } }
  - { id: after, tool: web/json, effect: write, retry: { attempts: 20, delay: 500ms, backoff: fixed } }
`);
  const run = await baton.start(workflow);
  const stepNamed = async (name: string) => (await baton.run(run)).steps.find(({ path }) => path === name);
  await expect.poll(async () => (await stepNamed('go'))?.status).toBe('waiting');
  const calls = [...web.calls];
  const port = Number(new URL(web.url).port);
  await web.close();
  await baton.api('POST', `/v1/runs/${run}/signals/go`, { payload: {} });
  await expect.poll(async () => (await stepNamed('after'))?.attempts.length).toBeGreaterThan(1);
  web = await startScriptedHttp(port);
  expect(await baton.ended(run)).toMatchObject({ status: 'succeeded' });
  expect([...calls, ...web.calls]).toEqual(['json', 'json']);
});
