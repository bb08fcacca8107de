/**
 * The worker takes runs from the queue and drives them. Any number of workers, on any machines, share one Postgres.
 * Their only lasting state is the journal.
 */
import { startService } from '@baton/boot';
import { openInstallation } from '@baton/control/installation';

import manifest from '../package.json' with { type: 'json' };
import { driveRuns } from './driveRuns.ts';

const service = await startService('worker', { version: manifest.version, env: process.env });
const installation = await openInstallation(service, ['drive']);
service.lifecycle.ready(await driveRuns(installation));
