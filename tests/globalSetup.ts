/** Vitest's global set-up for tests with processes: services start while the apps are bundled. */
import type { TestProject } from 'vitest/node';

import { setup as startServices } from '../libs/testing/src/services.ts';
import { setup as buildApps } from './builtApps.ts';

export { teardown } from '../libs/testing/src/services.ts';

export async function setup(project: TestProject): Promise<void> {
  await Promise.all([startServices(project), buildApps(project)]);
}
