import { join } from 'node:path';

import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the apps' bundled code: see tests/builtApps.ts. */
    builtApps: string;
  }
}

const files = {
  cli: 'main.js',
  orchestrator: 'orchestrator.js',
  worker: 'worker.js',
  server: 'server.js',
  checkThread: 'checkThread.js',
  mortalWorker: 'mortalWorker.js',
};

/** What `node` starts the app, or another process of the tests, with: its bundled code, as the package has it. */
export const appFile = (name: keyof typeof files): string => join(inject('builtApps'), files[name]);
