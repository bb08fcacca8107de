/** Routes of secrets: set, list, remove. No route returns a value. */
import { type Secret, routes, ProblemError, instant, limitUsual, secretNameForm } from '@baton/api';
import { checkHookSecret } from '@baton/control';
import { defined } from '@baton/primitives';
import type { BoundSecrets, SecretSummary } from '@baton/runner';
import { type Store, type Vault, deleteSecret, getSecret, putSecret } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { etagOf, replacing } from '../../http/preconditions.ts';
import { route } from '../../http/route.ts';

export interface SecretOptions {
  readonly store: Store;
  readonly vault: Vault;
  readonly secrets: BoundSecrets;
}

export function secretRoutes(app: App, options: SecretOptions): void {
  readingRoutes(app, options);
  const { store, vault, secrets } = options;
  route(app, routes.setSecret, async (request, reply) => {
    const { name } = request.params;
    checkName(name);
    const { value } = request.body;
    if (value !== undefined) checkHookSecret(name, value, await secrets.hooks());
    const wanted = { name, ...request.body, by: request.principal.by };
    const set = await replacing(request.headers, (mayReplace) => putSecret(store, vault, { ...wanted, mayReplace }));
    if (set === undefined) throw noSecret(name);
    reply.code(set.version === 1 ? 201 : 200).header('etag', etagOf(set.version));
    return toSecret(set);
  });
  route(app, routes.deleteSecret, async (request, reply) => {
    const { name } = request.params;
    const { by } = request.principal;
    const isGone = await replacing(request.headers, (mayReplace) => deleteSecret(store, name, by, mayReplace));
    if (!isGone) throw noSecret(name);
    return reply.code(204).send(null);
  });
}

function readingRoutes(app: App, { store, secrets }: SecretOptions): void {
  route(app, routes.listSecrets, async ({ query: { limit = limitUsual, cursor } }) => {
    const cursors = new Cursors('secrets', {});
    const after = cursors.read(cursor, (text) => secretNameForm.test(text));
    const { secrets: found, next } = await secrets.list({ limit, ...defined({ after }) });
    return { data: found.map(toSecret), ...(next === undefined ? {} : { nextCursor: cursors.write(next) }) };
  });
  route(app, routes.getSecret, async ({ params: { name } }, reply) => {
    const found = await getSecret(store, name);
    if (found === undefined) throw noSecret(name);
    reply.header('etag', etagOf(found.version));
    return toSecret(found);
  });
}

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
