import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '@baton/boot';
import { findRedis, startRedis, testCertificate } from '@baton/testing';
import { expect, test } from 'vitest';

import { Installation, isAlive } from '../installation.ts';

test.skipIf((await findRedis()) === undefined)(
  'a Redis whose certificate is of an unknown authority makes runs late, and ends no worker and no orchestrator',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-tls-'));
    const { key, certificate } = testCertificate();
    const files = { 'tls-key-file': join(folder, 'key.pem'), 'tls-cert-file': join(folder, 'certificate.pem') };
    await writeFile(files['tls-key-file'], key);
    await writeFile(files['tls-cert-file'], certificate);
    const port = await freePort();
    const tls = { 'tls-port': String(port), 'tls-auth-clients': 'no', ...files };
    const redis = await startRedis({ folder, settings: tls });
    const baton = await Installation.start({ servers: {}, redisUrl: `rediss://127.0.0.1:${port}` });
    try {
      // The worker begins to listen anew each second meanwhile.
      await baton.deploy('workflow: waits\nsteps:\n  - wait: 5s\n');
      expect(await baton.ended(await baton.start('waits'))).toMatchObject({ status: 'succeeded' });
      const { body } = await baton.api('GET', '/readyz');
      expect(body).toMatchObject({ status: 'degraded', parts: { queue: { status: 'away' } } });
      for (const app of baton.apps) {
        expect(isAlive(app.child)).toBe(true);
        expect(app.log()).not.toContain('"fatal"');
      }
    } finally {
      await baton.stop();
      await redis.stop();
      await rm(folder, { recursive: true });
    }
  },
);
