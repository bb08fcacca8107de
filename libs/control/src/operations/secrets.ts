/** Operations of secrets: set, list, remove. None returns a value. */
import { type Received, type Secret, routes, ProblemError, instant, secretNameForm } from '@baton/api';
import { defined } from '@baton/primitives';
import type { BoundSecrets, SecretSummary } from '@baton/runner';
import {
  type MayReplace,
  type Store,
  type Vault,
  deleteSecret as removeSecret,
  getSecret as readSecret,
  putSecret,
} from '@baton/store';

import { checkHookSecret } from '../deploy/hookSecrets.ts';
import { ofInstallation } from './operation.ts';
import type { PageInput } from './page.ts';

interface SecretParts {
  readonly store: Store;
  readonly vault: Vault;
  readonly secrets: BoundSecrets;
}

interface ByName {
  readonly name: string;
}

interface Replacing {
  readonly mayReplace: MayReplace | undefined;
}

/** Ordered by name. */
export const listSecrets = ofInstallation(
  routes.listSecrets,
  async ({ secrets }: SecretParts, { limit, after }: PageInput) => {
    const { secrets: found, next } = await secrets.list({ limit, ...defined({ after }) });
    return { data: found.map(toSecret), next };
  },
);

export const getSecret = ofInstallation(routes.getSecret, async ({ store }: SecretParts, { name }: ByName) => {
  const found = await readSecret(store, name);
  if (found === undefined) throw noSecret(name);
  return toSecret(found);
});

export const setSecret = ofInstallation(
  routes.setSecret,
  async (
    { store, vault, secrets }: SecretParts,
    wanted: ByName & Replacing & Received<typeof routes.setSecret>['body'],
    { by },
  ) => {
    const { name, value } = wanted;
    checkName(name);
    if (value !== undefined) {
      const { workflows = (await secrets.bindings()).get(name)?.workflows } = wanted;
      checkHookSecret(value, await secrets.hooksNaming(name, defined({ workflows: workflows ?? undefined })));
    }
    const set = await putSecret(store, vault, { ...wanted, by });
    if (set === undefined) throw noSecret(name);
    return toSecret(set);
  },
);

export const deleteSecret = ofInstallation(
  routes.deleteSecret,
  async ({ store }: SecretParts, { name, mayReplace }: ByName & Replacing, { by }): Promise<void> => {
    if (!(await removeSecret(store, name, by, mayReplace))) throw noSecret(name);
  },
);

/** Throws `ProblemError`. */
function checkName(name: string): void {
  if (secretNameForm.test(name)) return;
  const message =
    'The name of a secret consists of letters, digits, underscores, dots and hyphens, and must not begin with a digit.';
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: '?name', code: 'wrong-value', message }],
  });
}

const noSecret = (name: string): ProblemError =>
  new ProblemError('not-found', `There is no secret ${JSON.stringify(name.slice(0, 80))}.`);

const toSecret = ({ setAt, workflows, servers, ...rest }: SecretSummary): Secret => ({
  ...rest,
  ...(workflows && { workflows: [...workflows] }),
  ...(servers && { servers: [...servers] }),
  setAt: instant(setAt),
});
