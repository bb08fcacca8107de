import type { CallContext } from '@baton/runner';

/** The context of a call that nothing stops. */
export const callContext = (more: Partial<CallContext> = {}): CallContext => ({
  runId: 'run-1',
  attemptKey: 'run-1/step#1',
  signal: new AbortController().signal,
  timeout: {},
  onProgress: () => {},
  ...more,
});
