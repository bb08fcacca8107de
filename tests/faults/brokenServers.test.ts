import { brokenServer } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { Installation } from '../installation.ts';

let baton: Installation;

beforeAll(async () => {
  const impatient = { baton: { openTimeout: '2s' } };
  baton = await Installation.start({
    servers: {
      missing: { command: 'no-such-command-anywhere', args: ['--flag'] },
      exits: { ...brokenServer('exits'), ...impatient },
      rubbish: { ...brokenServer('rubbish'), ...impatient },
      silent: { ...brokenServer('silent'), ...impatient },
    },
  });
});

afterAll(() => baton.stop());

test.concurrent.each([
  ['is not there', 'missing', ['no-such-command-anywhere']],
  ['exits at once', 'exits', ['broken.mjs', 'exit code 3', 'cannot read the configuration']],
  ['prints rubbish', 'rubbish', ['broken.mjs', 'Welcome to the server!', 'starting up']],
  ['never answers', 'silent', ['broken.mjs', 'I say nothing']],
])(
  'a server that %s: the step fails and says what was started, how it ended and what it said last',
  async (_, name, parts) => {
    const workflow = await baton.deploy(`workflow: ask-${name}\nsteps:\n  - id: ask\n    tool: ${name}/anything\n`);
    const run = await baton.ended(await baton.start(workflow));
    expect(run).toMatchObject({ status: 'failed', error: { step: 'ask' } });
    for (const part of parts) expect(JSON.stringify(run.error)).toContain(part);
  },
);
