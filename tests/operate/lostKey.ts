/** The key of the installation is lost for good: what a start says, and the documented way on. */
import { createClient } from '@baton/api/client';

import { baton } from './command.ts';
import { key, refusedStart, withServer } from './trial.ts';

const withKey = (DATABASE_URL: string, byte: number) => ({
  DATABASE_URL,
  BATON_SECRET_KEY: Buffer.alloc(32, byte).toString('base64'),
});

export async function lostKey(DATABASE_URL: string): Promise<string> {
  const before = withKey(DATABASE_URL, 1);
  const after = withKey(DATABASE_URL, 2);
  const id = await withServer(before, async (url) => {
    const client = createClient({ url, key });
    await client.workflows.deploy('workflow: tried\nsteps:\n  - id: made\n    set: { done: true }\n');
    await client.secrets.set('token', { value: 'of the key before' });
    const run = await client.runs.start('tried', {});
    await client.runs.wait(run.id);
    return run.id;
  });
  const sentence = await refusedStart(after, /BATON_SECRET_KEY/);
  await baton(['audit', 'begin', '--yes'], after);
  const said = await withServer(after, async (url) => {
    const client = createClient({ url, key });
    const { status } = await client.runs.get(id);
    if (status !== 'succeeded') throw new Error(`the run of before is ${status}`);
    const { problem } = await client.audit.verify();
    if (problem !== undefined) throw new Error(`the audit is not intact: ${JSON.stringify(problem)}`);
    await client.secrets.set('token', { value: 'of the key after' });
    const again = await client.runs.start('tried', {});
    return (await client.runs.wait(again.id)).status;
  });
  if (said !== 'succeeded') throw new Error(`a new run is ${said}`);
  return `refused: ${sentence} After \`baton audit begin\` it starts, shows the runs of before, and the audit is intact from there on`;
}
