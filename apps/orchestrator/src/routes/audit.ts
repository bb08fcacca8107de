/** The audit: what was done to the installation, all of it as an export, and whether it is as it was. */
import { Readable } from 'node:stream';

import type { Json } from '@baton/language';
import type { Clock } from '@baton/runner';
import type { Entry, Store } from '@baton/store';
import { auditedActions, auditLines, auditRecords, AuditVerifier, getApiKey, listEntries } from '@baton/store';
import * as z from 'zod';

import type { Sealer } from '../audit/sealer.ts';
import type { Access, App } from '../http/edge.ts';
import { Cursor, Cursors, Flag, InstantText, Limit, limitUsual, Text } from '../http/parameters.ts';
import { writtenAs } from '../keys/keyring.ts';
import { AnyValue, Instant, instant, pageOf } from '../shapes/values.ts';

const tags = ['Audit'];
const access: Access = ['audit:read'];

const Shown = z
  .strictObject({
    seq: z.int(),
    at: Instant,
    by: z.string().meta({ description: 'Who did it: a key by its name and, in brackets, its id.' }),
    action: z.string(),
    target: z.string(),
    detail: AnyValue,
  })
  .meta({ id: 'AuditEntry' });

const Filter = z.strictObject({
  action: z.enum(auditedActions).optional(),
  by: Text.optional().meta({ description: 'As it is written, or the id of a key.' }),
  target: Text.optional(),
  from: InstantText.optional(),
  to: InstantText.optional(),
  limit: Limit,
  cursor: Cursor,
});

const Checkpoint = z
  .strictObject({ seal: z.int().min(0), hash: z.string().regex(/^[\da-f]{64}$/, '64 hexadecimal digits') })
  .meta({
    id: 'Checkpoint',
    description: 'A seal: kept elsewhere, it proves later that nothing before it was left away.',
  });

const Report = z
  .strictObject({
    isIntact: z.boolean(),
    problem: z
      .strictObject({
        kind: z.enum(['edited', 'missing', 'reordered', 'cut-off']),
        where: z.string(),
        message: z.string(),
      })
      .optional()
      .meta({ description: 'The first place that is not as it was.' }),
    entries: z.int(),
    seals: z.int(),
    runs: z.int(),
    events: z.int(),
    removed: z.int().meta({ description: 'Runs that were removed on purpose: the audit names them.' }),
    checkpoint: Checkpoint,
  })
  .meta({ id: 'AuditReport' });

export interface AuditOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

export function auditRoutes(app: App, options: AuditOptions): void {
  listRoute(app, options);
  exportRoute(app, options);
  const { store, sealer, clock } = options;
  app.post(
    '/v1/audit/verify',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Find out whether the audit trail is as it was',
        description: 'Journals, seals and entries as they stand in the database, of runs that are not over too.',
        body: z.strictObject({ checkpoint: Checkpoint.optional() }).nullish(),
        response: { 200: Report },
      },
    },
    async ({ body }) => {
      await sealer.seal();
      const verifier = new AuditVerifier(body?.checkpoint);
      for await (const record of auditRecords(store, { nowMs: clock.now(), isWithUnsealed: true }))
        verifier.take(record);
      return verifier.report({ isFile: false });
    },
  );
}

function listRoute(app: App, { store }: AuditOptions): void {
  app.get(
    '/v1/audit',
    {
      config: { access },
      schema: {
        tags,
        summary: 'What was done to the installation',
        description: 'Newest first. What runs did stands in their journals.',
        querystring: Filter,
        response: { 200: pageOf(Shown) },
      },
    },
    async ({ query: { limit = limitUsual, cursor, ...asked } }) => {
      const cursors = new Cursors('audit', asked);
      const before = cursors.read(cursor, (text) => /^\d{1,9}$/.test(text));
      const { action, by, target, from, to } = asked;
      const filter = {
        ...(action === undefined ? {} : { action }),
        ...(by === undefined ? {} : { by: await whoIs(store, by) }),
        ...(target === undefined ? {} : { target }),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      };
      const page = { limit, before: before === undefined ? undefined : Number(before) };
      const { entries, next } = await listEntries(store, filter, page);
      return { data: entries.map(shown), ...(next === undefined ? {} : { nextCursor: cursors.write(String(next)) }) };
    },
  );
}

/** Rejects with `UnavailableError`. */
async function whoIs(store: Store, by: string): Promise<string> {
  const key = await getApiKey(store, by);
  return key === undefined ? by : writtenAs(key);
}

function exportRoute(app: App, { store, sealer, clock }: AuditOptions): void {
  app.get(
    '/v1/audit/export',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Everything, as lines of JSON',
        description:
          'A manifest, entries, seals with their runs and journals, and an end that vouches for all lines before: `baton audit verify FILE` needs nothing else. What is finished is sealed first.',
        querystring: z.strictObject({
          unsealed: Flag.optional().meta({ description: 'Also the journals of runs that are not over.' }),
        }),
        response: { 200: { description: 'NDJSON.', content: { 'application/x-ndjson': { schema: z.string() } } } },
      },
    },
    async ({ query: { unsealed = false } }, reply) => {
      await sealer.seal();
      const lines = auditLines(auditRecords(store, { nowMs: clock.now(), isWithUnsealed: unsealed }));
      return (
        reply
          .type('application/x-ndjson')
          .header('content-disposition', 'attachment; filename="baton-audit.ndjson"')
          // What is sent is text, though not all at once.
          .send(Readable.from(lines) as unknown as string)
      );
    },
  );
}

const shown = ({ detail, at, ...rest }: Entry): z.infer<typeof Shown> => ({
  ...rest,
  at: instant(at),
  detail: JSON.parse(detail) as Json,
});
