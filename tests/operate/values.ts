/** Large values in a bucket of another program with the protocol of S3 (s3rver), which is away for a while. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createClient } from '@baton/api/client';
import { freePort } from '@baton/boot';

import type { Postgres } from './databases.ts';
import { type Debian, host, until } from './debian.ts';
import { key, refusedStart, withServer } from './trial.ts';

const version = '3.7.1';
const workflow = `workflow: large
inputs: { text: { type: string } }
steps:
  - id: kept
    set: { text: "\${{ inputs.text }}" }
outputs: { text: "\${{ steps.kept.output.text }}" }
`;
const text = 'large '.repeat(20_000);

interface Bucket {
  readonly endpoint: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

async function bucketOf(debian: Debian): Promise<Bucket> {
  const folder = debian.newFolder('s3rver');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: { s3rver: version } }));
  execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
  const port = await freePort();
  const endpoint = `http://${host}:${port}`;
  const file = join(folder, 'node_modules/s3rver/bin/s3rver.js');
  const args = [file, '-d', join(folder, 'objects'), '-a', host, '-p', String(port), '--configure-bucket', 'values'];
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
    await until(async () => void (await fetch(endpoint)));
  };
  const stop = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return { endpoint, start, stop };
}

export async function valuesInBucket(debian: Debian, postgres: Postgres, name: string): Promise<string> {
  const bucket = await bucketOf(debian);
  const elsewhere = async (): Promise<number> =>
    (await postgres.query(`select from blob where place is not null and octet_length(text) = 0`, name)).length;
  const env = {
    DATABASE_URL: postgres.url(name),
    BATON_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    BATON_VALUES: `s3://values/of/baton?endpoint=${bucket.endpoint}`,
    BATON_VALUES_AFTER: '0s',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  };
  try {
    const id = await withServer(env, async (url) => {
      const client = createClient({ url, key });
      await client.workflows.deploy(workflow);
      // The bucket is away: a run stores and reads its values all the same.
      const run = await client.runs.start('large', { text });
      const { status } = await client.runs.wait(run.id);
      if (status !== 'succeeded') throw new Error(`without the bucket the run is ${status}`);
      if ((await elsewhere()) > 0) throw new Error('a value has left the database for a bucket that is away');
      await bucket.start();
      await until(async () => {
        if ((await elsewhere()) === 0) throw new Error('no value was moved');
      });
      return run.id;
    });
    // Another process: nothing is in its memory.
    await withServer(env, async (url) => {
      const client = createClient({ url, key, retries: 0 });
      const whole = await client.runs.get(id);
      if (!JSON.stringify(whole.outputs).includes(text)) throw new Error('the moved value is not what it was');
      const { problem } = await client.audit.verify();
      if (problem !== undefined) throw new Error(`the audit is not intact: ${JSON.stringify(problem)}`);
      await bucket.stop();
      const lost = await client.runs.get(id).then(
        () => 'it answered',
        (error: { readonly code?: string }) => error.code,
      );
      if (lost !== 'dependency-down') throw new Error(`without the bucket a reader of the value gets ${lost}`);
    });
    const { BATON_VALUES: _, ...without } = env;
    const sentence = await refusedStart(without, /BATON_VALUES/);
    return `a run stores its values while the bucket is away; they move when it is there; another process reads them, and answers 503 while it is away; without the setting a start is refused: ${sentence}`;
  } finally {
    await bucket.stop();
  }
}
