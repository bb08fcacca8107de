/** Decides which secrets may sign callbacks. */
import { ProblemError } from '@baton/api';
import { whyNotUsed, type SecretUse } from '@baton/language';
import { type Store, secretBindings } from '@baton/store';

import { hookSecretsOf } from '../deploy/deployedWorkflows.ts';
import { type Principal, may } from '../keys/scopes.ts';

export interface SignedCallback {
  readonly url: string;
  /** Name of the secret. */
  readonly secret: string;
  readonly workflow: Required<SecretUse>['workflow'];
}

/**
 * Resolves to a sentence that says why the secret may not sign the callback; undefined if it may, or does not exist
 * yet. Rejects with `UnavailableError`.
 */
export async function signingProblem(
  store: Store,
  { url, secret, workflow }: SignedCallback,
): Promise<string | undefined> {
  const hooks = await hookSecretsOf(store)();
  // The receiver of the callback could replay it to the webhook, which would accept the signature.
  if (hooks.some((hook) => hook.secret === secret))
    return `The secret "${secret}" signs a webhook: it must not sign a callback.`;
  const binding = (await secretBindings(store)).get(secret);
  return binding && whyNotUsed(secret, binding, { workflow, server: `callbacks/${new URL(url).hostname}` });
}

/**
 * Rejects with `ProblemError`. The deliverer checks again before it sends: bindings and webhooks may have changed.
 * `principal`: absent for runs that Baton starts by itself.
 */
export async function checkCallback(
  store: Store,
  callback: SignedCallback,
  principal: Principal | undefined,
): Promise<void> {
  const message = await signingProblem(store, callback);
  if (message === undefined) return checkMayUse(store, callback, principal);
  const errors = [{ pointer: '/callback/secret', code: 'secret-bound-elsewhere', message }] as const;
  throw new ProblemError('validation-failed', message, { errors: [...errors] });
}

/** The client that starts a run chooses content and receiver of the callback: it needs `secrets:use`, or a binding. */
async function checkMayUse(
  store: Store,
  { url, secret }: SignedCallback,
  principal: Principal | undefined,
): Promise<void> {
  if (principal === undefined || may(principal, ['secrets:use'])) return;
  if ((await secretBindings(store)).get(secret)?.servers !== undefined) return;
  const receiver = `callbacks/${new URL(url).hostname}`;
  const detail = `The callback would be signed with the secret ${JSON.stringify(secret)}. Bind the secret to ${receiver}, or use a key with the scope secrets:use.`;
  throw new ProblemError('forbidden', detail);
}
