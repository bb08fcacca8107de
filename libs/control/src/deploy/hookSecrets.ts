/** Refuses secrets that are too short to sign webhooks: when a secret is set, and when a workflow is deployed. */
import { ProblemError } from '@baton/api';
import { hookKeyBytesMin, isHookKey } from '@baton/protocol';
import type { BoundSecrets, HookSecret } from '@baton/runner';

/** Checks a secret that is being set. `hooks`: those that it signs. Throws `ProblemError`. */
export function checkHookSecret(value: string, hooks: readonly HookSecret[]): void {
  const unfit = hooks.find(({ scheme }) => !isHookKey(value, scheme));
  if (unfit === undefined) return;
  const message = `Webhooks of a deployed workflow are signed with the secret "${unfit.secret}". ${expected(unfit)}`;
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: '/value', code: 'wrong-value', message }],
  });
}

/**
 * Checks a workflow that is being deployed; its secret may be set later. Rejects with `ProblemError` and
 * `UnavailableError`.
 */
export async function checkHookSecrets(
  secrets: BoundSecrets,
  workflow: string,
  hooks: readonly HookSecret[],
): Promise<void> {
  if (hooks.length === 0) return;
  const use = { as: 'webhook', workflow: { id: workflow, isDeployed: true } } as const;
  const revealed = await secrets.reveal([...new Set(hooks.map(({ secret }) => secret))], use);
  const unfit = hooks.find(({ secret, scheme }) => {
    const found = revealed.get(secret);
    return found !== undefined && 'value' in found && !isHookKey(found.value, scheme);
  });
  if (unfit === undefined) return;
  const message = `The secret "${unfit.secret}" is too short to sign a webhook with. ${expected(unfit)}`;
  throw new ProblemError('workflow-invalid', message, { errors: [{ pointer: '/on', code: 'weak-secret', message }] });
}

const expected = ({ scheme }: HookSecret): string =>
  scheme === 'standard'
    ? `It needs at least ${hookKeyBytesMin} bytes, which after \`whsec_\` are written as base64.`
    : `It needs at least ${hookKeyBytesMin} bytes.`;
