/** Decides which secrets may sign callbacks. */
import { ProblemError } from '@baton/api';
import { isSecretOf, type SecretUse } from '@baton/language';
import type { BoundSecrets } from '@baton/runner';

import { type Principal, may } from '../keys/scopes.ts';

export interface SignedCallback {
  readonly url: string;
  /** Name of the secret. */
  readonly secret: string;
  readonly workflow: Required<SecretUse>['workflow'];
}

const receiverOf = (url: string): string => `callbacks/${new URL(url).hostname}`;

/** The use of the secret, for `BoundSecrets`. */
export const signatureOf = ({ url, workflow }: Pick<SignedCallback, 'url' | 'workflow'>) =>
  ({ as: 'callback', workflow, server: receiverOf(url) }) as const;

/**
 * Rejects with `ProblemError`. The deliverer checks again before it sends: bindings and webhooks may have changed.
 */
export async function checkCallback(
  secrets: BoundSecrets,
  callback: SignedCallback,
  principal: Principal,
): Promise<void> {
  const message = await secrets.refusal(callback.secret, signatureOf(callback));
  if (message === undefined) return checkMayUse(secrets, callback, principal);
  const errors = [{ pointer: '/callback/secret', code: 'secret-bound-elsewhere', message }] as const;
  throw new ProblemError('validation-failed', message, { errors: [...errors] });
}

/** The client that starts a run chooses content and receiver of the callback: it needs `secrets:use`, or a binding. */
async function checkMayUse(
  secrets: BoundSecrets,
  { url, secret, workflow }: SignedCallback,
  principal: Principal,
): Promise<void> {
  if (may(principal, ['secrets:use'])) return;
  const binding = (await secrets.bindings()).get(secret);
  if (binding?.servers !== undefined && isSecretOf(binding, workflow.id)) return;
  const detail = `The callback would be signed with the secret ${JSON.stringify(secret)}. Bind the secret to ${receiverOf(url)}, or use a key with the scope secrets:use.`;
  throw new ProblemError('forbidden', detail);
}
