/**
 * The orchestrator: accepts runs over REST and from triggers, shows them, and wakes runs that no worker drives.
 * Any number of orchestrators share one Postgres. None leads, and none holds state that another could not rebuild.
 */
import { startService } from '@baton/boot';
import { openInstallation } from '@baton/control/installation';

import manifest from '../package.json' with { type: 'json' };
import { acceptRuns } from './acceptRuns.ts';

const service = await startService('orchestrator', { version: manifest.version, env: process.env });
const installation = await openInstallation(service, ['accept']);
service.lifecycle.ready(await acceptRuns(installation));
