import { testInstallation } from '@baton/testing';
import { expect, test } from 'vitest';

import { runCommandLine } from './program.ts';

const counting = `
workflow: team/counting
state:
  count: { type: integer, default: 0 }
  name: { type: string, default: "" }
steps:
  - state: { count: "\${{ state.count + 1 }}" }
`;

const { baton } = testInstallation({
  commandLine: runCommandLine,
  files: { 'counting.workflow.yaml': counting },
});

test('state ls, get and set show what a workflow remembers, and replace it by the type of the key, unless it was written since', async () => {
  expect(await baton(['deploy', 'counting.workflow.yaml'])).toMatchObject({ code: 0 });
  expect(await baton(['run', 'team/counting', '--wait'])).toMatchObject({ code: 0 });
  const { stdout } = await baton(['state', 'ls', 'team/counting']);
  expect(stdout).toMatch(/count\s+1\s+1\s/);
  // A text that looks like a number stays a text where the type says so.
  expect((await baton(['state', 'set', 'team/counting', 'name', '7'])).stderr).toContain('it is write 1 of the key');
  expect((await baton(['state', 'get', 'team/counting', 'name'])).stdout.trim()).toBe('"7"');
  expect(await baton(['state', 'set', 'team/counting', 'count', 'many'])).toMatchObject({ code: 2 });
  const late = await baton(['state', 'set', 'team/counting', 'count', '9', '--if-writes', '0']);
  expect([late.code === 0, late.stderr]).toEqual([false, expect.stringContaining('has changed')]);
  expect(await baton(['state', 'set', 'team/counting', 'count', '9', '--if-writes', '1'])).toMatchObject({ code: 0 });
  const history = await baton(['state', 'get', 'team/counting', 'count', '--history', '--json']);
  expect(JSON.parse(history.stdout)).toMatchObject([
    { revision: 2, value: 9 },
    { revision: 1, value: 1, runId: expect.any(String) as string },
  ]);
  expect(await baton(['state', 'get', 'team/counting', 'cuont'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('it has count, name') as string,
  });
});
