/**
 * The server accepts runs, and drives them: both roles in one process, on one installation. Any number of servers share
 * one Postgres, also with orchestrators and workers.
 */
import { startService } from '@baton/boot';
import { openInstallation } from '@baton/control/installation';
import { acceptRuns } from '@baton/orchestrator';
import { driveRuns } from '@baton/worker';

import manifest from '../package.json' with { type: 'json' };

const service = await startService('server', { version: manifest.version, env: process.env });
const installation = await openInstallation(service, ['accept', 'drive']);
const accepting = await acceptRuns(installation);
service.lifecycle.ready({ ...accepting, ...(await driveRuns(installation)) });
