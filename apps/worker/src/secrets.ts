import type { Calls, SecretWatch } from '@baton/runner';

/** Makes calls wait until redaction knows all secrets that an answer may contain. */
export const withKnownSecrets = (calls: Calls, watch: SecretWatch): Calls => ({
  callTool: async (call, context) => {
    await watch.fresh();
    return calls.callTool(call, context);
  },
  getPrompt: async (call, context) => {
    await watch.fresh();
    return calls.getPrompt(call, context);
  },
  readResource: async (call, context) => {
    await watch.fresh();
    return calls.readResource(call, context);
  },
  release: (runId) => calls.release(runId),
});
