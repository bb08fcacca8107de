/** Secrets: set, listed by name, taken away. Their values go in and never come out. */
import type { SecretSummary, Store, Vault } from '@baton/store';
import { deleteSecret, getSecret, listSecrets, putSecret } from '@baton/store';
import * as z from 'zod';

import type { Access, App } from '../http/edge.ts';
import { isStorableText } from '../http/jsonLimits.ts';
import { Cursor, Cursors, Limit, limitUsual } from '../http/parameters.ts';
import { Conditions, etagOf, replacing } from '../http/preconditions.ts';
import { ProblemError } from '../http/problem.ts';
import { Instant, instant, pageOf } from '../shapes/values.ts';

const tags = ['Secrets'];
const access: Access = ['secrets:write'];

/** What references can name: `secrets.NAME`, `${secret:NAME}`. */
export const secretNameForm = /^[A-Za-z_][\w.-]{0,127}$/;

const valueCharacters = 64 * 1024;

const NewValue = z
  .strictObject({
    value: z
      .string()
      .min(1)
      .max(valueCharacters)
      .refine((text) => isStorableText(text), 'well-formed text without NUL'),
  })
  .meta({ id: 'SecretValue' });

const Secret = z
  .strictObject({
    name: z.string(),
    version: z.int().meta({ description: 'Counted from 1 each time it is set.' }),
    setBy: z.string().meta({ description: 'Of the key.' }),
    setAt: Instant,
  })
  .meta({ id: 'Secret', description: 'What can be told of a secret: everything but its value.' });

/** A text, so that what is no name is a secret that does not exist. */
const ByName = z.strictObject({ name: z.string() });

export interface SecretOptions {
  readonly store: Store;
  readonly vault: Vault;
}

export function secretRoutes(app: App, options: SecretOptions): void {
  readingRoutes(app, options);
  const { store, vault } = options;
  app.put(
    '/v1/secrets/:name',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Set a secret',
        description: 'What is signed with the value before is still taken for a day.',
        params: ByName,
        headers: Conditions,
        body: NewValue,
        response: { 200: Secret, 201: Secret },
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      checkName(name);
      const wanted = { name, value: request.body.value, by: request.principal.by };
      const set = await replacing(request.headers, (mayReplace) => putSecret(store, vault, { ...wanted, mayReplace }));
      reply.code(set.version === 1 ? 201 : 200).header('etag', etagOf(set.version));
      return shown(set);
    },
  );
  app.delete(
    '/v1/secrets/:name',
    {
      config: { access },
      schema: { tags, summary: 'Take a secret away', params: ByName, headers: Conditions, response: { 204: z.null() } },
    },
    async (request, reply) => {
      const { name } = request.params;
      const { by } = request.principal;
      const isGone = await replacing(request.headers, (mayReplace) => deleteSecret(store, name, by, mayReplace));
      if (!isGone) throw noSecret(name);
      return reply.code(204).send(null);
    },
  );
}

function readingRoutes(app: App, { store }: SecretOptions): void {
  app.get(
    '/v1/secrets',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List secrets',
        description: 'By their names.',
        querystring: z.strictObject({ limit: Limit, cursor: Cursor }),
        response: { 200: pageOf(Secret) },
      },
    },
    async ({ query: { limit = limitUsual, cursor } }) => {
      const cursors = new Cursors('secrets', {});
      const after = cursors.read(cursor, (text) => secretNameForm.test(text));
      const { secrets, next } = await listSecrets(store, { limit, ...(after === undefined ? {} : { after }) });
      return { data: secrets.map(shown), ...(next === undefined ? {} : { nextCursor: cursors.write(next) }) };
    },
  );
  app.get(
    '/v1/secrets/:name',
    {
      config: { access },
      schema: { tags, summary: 'Show what can be told of a secret', params: ByName, response: { 200: Secret } },
    },
    async ({ params: { name } }, reply) => {
      const found = await getSecret(store, name);
      if (found === undefined) throw noSecret(name);
      reply.header('etag', etagOf(found.version));
      return shown(found);
    },
  );
}

/** Throws `ProblemError`. */
function checkName(name: string): void {
  if (secretNameForm.test(name)) return;
  const message = 'A secret is named with letters, digits, underscores, dots and hyphens, the first no digit.';
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: '?name', code: 'wrong-value', message }],
  });
}

const noSecret = (name: string): ProblemError =>
  new ProblemError('not-found', `There is no secret ${JSON.stringify(name.slice(0, 80))}.`);

const shown = ({ setAt, ...rest }: SecretSummary): z.infer<typeof Secret> => ({ ...rest, setAt: instant(setAt) });
