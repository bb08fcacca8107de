/** Refuses secrets that are too short to sign webhooks: when a secret is set, and when a workflow is deployed. */
import { ProblemError } from '@baton/api';
import type { WebhookTrigger } from '@baton/language';
import { hookKeyBytesMin, isHookKey } from '@baton/protocol';
import { type Store, type Vault, revealSecrets } from '@baton/store';

/** The secret and the scheme that sign a webhook. */
export type HookSecret = Pick<WebhookTrigger, 'secret' | 'scheme'>;

/** Checks a secret that is being set. `hooks`: those of all deployed workflows. Throws `ProblemError`. */
export function checkHookSecret(name: string, value: string, hooks: readonly HookSecret[]): void {
  const unfit = hooks.find(({ secret, scheme }) => secret === name && !isHookKey(value, scheme));
  if (unfit === undefined) return;
  const message = `Webhooks of a deployed workflow are signed with the secret "${name}". ${expected(unfit)}`;
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: '/value', code: 'wrong-value', message }],
  });
}

/**
 * Checks a workflow that is being deployed; its secret may be set later. Rejects with `ProblemError` and
 * `UnavailableError`.
 */
export async function checkHookSecrets(
  { store, vault }: { readonly store: Store; readonly vault: Vault },
  hooks: readonly HookSecret[],
): Promise<void> {
  if (hooks.length === 0) return;
  const revealed = await revealSecrets(store, vault, [...new Set(hooks.map(({ secret }) => secret))]);
  const unfit = hooks.find(({ secret, scheme }) => {
    const value = revealed.get(secret)?.value;
    return value !== undefined && !isHookKey(value, scheme);
  });
  if (unfit === undefined) return;
  const message = `The secret "${unfit.secret}" is too short to sign a webhook with. ${expected(unfit)}`;
  throw new ProblemError('workflow-invalid', message, { errors: [{ pointer: '/on', code: 'weak-secret', message }] });
}

const expected = ({ scheme }: HookSecret): string =>
  scheme === 'standard'
    ? `It needs at least ${hookKeyBytesMin} bytes, which after \`whsec_\` are written as base64.`
    : `It needs at least ${hookKeyBytesMin} bytes.`;
