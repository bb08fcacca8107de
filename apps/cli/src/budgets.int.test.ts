import { testInstallation } from '@baton/testing';
import { expect, test } from 'vitest';

import { runCommandLine } from './program.ts';

const { baton } = testInstallation({
  commandLine: runCommandLine,
  files: { 'pay.workflow.yaml': 'workflow: shop/pay\nsteps: [{ set: { a: 1 } }]\n' },
});

test('The command sets, lists and removes a budget, and says of a run that it refuses which budget is spent, how much, and until when.', async () => {
  expect(await baton(['deploy', 'pay.workflow.yaml'])).toMatchObject({ code: 0 });
  expect((await baton(['budgets', 'ls'])).stderr).toContain('There are no budgets.');
  const set = (...more: string[]) => baton(['budgets', 'set', 'shop', '--on', 'shop/*', '--per', 'month', ...more]);
  expect((await set('--usd', '0.5', '--runs', '1')).stderr).toMatch(
    /^The budget is set: 0 of 0\.5 USD \(0 %\), 0 of 1 runs \(0 %\), until \d{4}-\d\d-01T00:00:00\.000Z\.\n$/,
  );
  const misspelt = await baton(['budgets', 'set', 'typo', '--on', 'shpo/pay', '--per', 'day', '--runs', '1']);
  expect(misspelt).toMatchObject({ code: 0 });
  expect(misspelt.stderr).toContain('No workflow shpo/pay is deployed: did you mean "shop/pay"?');
  expect((await baton(['budgets', 'ls'])).stdout).toContain('shpo/pay (none is deployed)');
  expect(await baton(['budgets', 'rm', 'typo'])).toMatchObject({ code: 0 });
  expect(await baton(['run', 'shop/pay', '--wait'])).toMatchObject({ code: 0 });
  const refused = await baton(['run', 'shop/pay']);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('The budget shop (shop/*, each month) is spent: 1 of 1 runs, until ');
  expect(refused.stderr).toMatch(/hint: try again in (\d+ d( \d+ h)?|\d+ h( \d+ m)?|\d+ m( \d+ s)?|\d+ s)\n$/);
  expect((await baton(['budgets', 'ls'])).stdout).toMatch(
    /shop\s+shop\/\*\s+month\s+0 of 0\.5 USD \(0 %\), 1 of 1 runs \(100 %\)/,
  );
  expect(await set('--usd', '1e3')).toMatchObject({ code: 2 });
  expect(await set()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--usd, --tokens, --writes and --runs') as string,
  });
  expect(await set('--usd', '4')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/further limits.*to keep them, add --runs 1;/s) as string,
  });
  expect(await set('--usd', '4', '--runs', '1')).toMatchObject({ code: 0 });
  expect(await baton(['budgets', 'rm', 'shop'])).toMatchObject({ code: 0 });
  expect(await baton(['run', 'shop/pay', '--wait'])).toMatchObject({ code: 0 });
});
