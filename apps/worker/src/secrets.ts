/** Reads secrets of workflows when they are used; never caches them, so that a change takes effect at once. */
import { FailureError } from '@baton/engine';
import { type SecretBinding, type SecretUse, whyNotUsed } from '@baton/language';
import type { Calls, KnownSecrets, Secrets } from '@baton/runner';
import { type Database, type SecretWatch, type Vault, hookSecrets, revealSecrets } from '@baton/store';

export function storedSecrets(database: Database, vault: Vault, known: KnownSecrets): Secrets {
  const signing = hookSecrets(database);
  return async (names, use) => {
    const hooks = new Set((await signing()).map(({ secret }) => secret));
    const revealed = await revealSecrets(database, vault, names);
    const missing = names.filter((name) => !revealed.has(name));
    if (missing.length > 0) throw noSecret(missing);
    for (const [name, binding] of revealed) checkUse(name, binding, use, hooks);
    // Redaction must know the secret before it is used, since the answer may contain it.
    for (const [name, { value }] of revealed) known.learn(`secret ${name}`, [value]);
    return Object.fromEntries([...revealed].map(([name, { value }]) => [name, value]));
  };
}

function noSecret(names: readonly string[]): FailureError {
  const which = names.map((name) => `"${name}"`).join(', ');
  const message = `No secret ${which} is stored, or it is encrypted with another key than this worker's. Set it with \`baton secrets set ${names[0]}\`.`;
  return new FailureError('invalid-arguments', message, { delivery: 'unsent', details: { secrets: [...names] } });
}

/** Throws `FailureError`. */
function checkUse(name: string, binding: SecretBinding, use: SecretUse, hooks: ReadonlySet<string>): void {
  // The webhook may have been deployed after the workflow.
  const message = hooks.has(name)
    ? `A webhook is signed with the secret "${name}": no tool may receive it.`
    : whyNotUsed(name, binding, use);
  if (message !== undefined) throw new FailureError('invalid-arguments', message, { delivery: 'unsent' });
}

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
