/** Vitest's global set-up for tests with processes: services start while the apps are bundled. */
import { join } from 'node:path';

import type { TestProject } from 'vitest/node';

import { setup as startServices } from '../libs/testing/src/services.ts';
import { build } from './builtApps.ts';

export { teardown } from '../libs/testing/src/services.ts';

/** The projects of one run share it, though each loads this file for itself. */
const shared = globalThis as { batonBuiltApps?: Promise<string> };

export async function setup(project: TestProject): Promise<void> {
  shared.batonBuiltApps ??= build();
  const [builtApps] = await Promise.all([shared.batonBuiltApps, startServices(project)]);
  // For the processes of the tests, and those that they start: each would compile the same sources again.
  process.env['NODE_COMPILE_CACHE'] ??= join(builtApps, '..', 'compiled');
  project.provide('builtApps', builtApps);
}
