import type { CallContext } from '@baton/runner';

/** A call's context, for tests. */
export const testContext = (more: Partial<CallContext> = {}): CallContext => ({
  runId: 'r',
  attemptKey: 'r/s#1',
  signal: new AbortController().signal,
  timeout: {},
  onProgress: () => undefined,
  ...more,
});

/** Where nothing is known. */
export const noLookups = { env: () => undefined, secret: () => undefined, workspaceFolder: '/' };
