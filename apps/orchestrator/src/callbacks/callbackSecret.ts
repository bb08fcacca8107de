/** With which secrets callbacks may be signed. */
import { ProblemError } from '@baton/api';
import { whyNotUsed } from '@baton/language';
import type { SecretUse } from '@baton/language';
import type { Store } from '@baton/store';
import { secretBindings } from '@baton/store';

import { hookSecretsOf } from '../deploy/deployedWorkflows.ts';
import type { Principal } from '../keys/scopes.ts';
import { may } from '../keys/scopes.ts';

export interface SignedCallback {
  readonly url: string;
  /** Name of the secret. */
  readonly secret: string;
  readonly workflow: Required<SecretUse>['workflow'];
}

/**
 * A sentence; undefined where it may be signed so, or where there is no such secret yet. Rejects with
 * `UnavailableError`.
 */
export async function whyNotSigned(
  store: Store,
  { url, secret, workflow }: SignedCallback,
): Promise<string | undefined> {
  const hooks = await hookSecretsOf(store)();
  // Who receives the callback could hand it on to the webhook, which would take it.
  if (hooks.some((hook) => hook.secret === secret))
    return `A webhook is signed with the secret "${secret}": no callback may be.`;
  const binding = (await secretBindings(store)).get(secret);
  return binding && whyNotUsed(secret, binding, { workflow, server: `callbacks/${new URL(url).hostname}` });
}

/**
 * Throws `ProblemError`. The same is held when it is sent: meanwhile secrets are bound, and webhooks deployed.
 * `principal`: absent for what Baton starts by itself.
 */
export async function checkCallback(
  store: Store,
  callback: SignedCallback,
  principal: Principal | undefined,
): Promise<void> {
  const message = await whyNotSigned(store, callback);
  if (message === undefined) return mayUse(store, callback, principal);
  const errors = [{ pointer: '/callback/secret', code: 'secret-bound-elsewhere', message }] as const;
  throw new ProblemError('validation-failed', message, { errors: [...errors] });
}

/** Who starts a run chooses what is signed and who receives it: that takes the right to use secrets, or a binding. */
async function mayUse(store: Store, { url, secret }: SignedCallback, principal: Principal | undefined): Promise<void> {
  if (principal === undefined || may(principal, ['secrets:use'])) return;
  if ((await secretBindings(store)).get(secret)?.servers !== undefined) return;
  const receiver = `callbacks/${new URL(url).hostname}`;
  const detail = `The callback would be signed with the secret ${JSON.stringify(secret)}. Bind the secret to ${receiver}, or use a key with the scope secrets:use.`;
  throw new ProblemError('forbidden', detail);
}
