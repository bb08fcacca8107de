/** The audit: what was done to the installation, all of it as an export, and whether it is as it was. */
import { Readable } from 'node:stream';

import type { AuditEntry } from '@baton/api';
import { routes, instant, limitUsual } from '@baton/api';
import type { Json } from '@baton/language';
import type { Clock } from '@baton/runner';
import type { Entry, Store } from '@baton/store';
import { auditLines, auditRecords, AuditVerifier, getApiKey, listEntries } from '@baton/store';

import type { Sealer } from '../audit/sealer.ts';
import type { App } from '../http/edge.ts';
import { Cursors } from '../http/parameters.ts';
import { route } from '../http/route.ts';
import { writtenAs } from '../keys/keyring.ts';

export interface AuditOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

export function auditRoutes(app: App, options: AuditOptions): void {
  listRoute(app, options);
  exportRoute(app, options);
  const { store, sealer, clock } = options;
  route(app, routes.verifyAudit, async ({ body }) => {
    await sealer.seal();
    const verifier = new AuditVerifier(body?.checkpoint);
    for await (const record of auditRecords(store, { nowMs: clock.now(), isWithUnsealed: true })) verifier.take(record);
    return verifier.report({ isFile: false });
  });
}

function listRoute(app: App, { store }: AuditOptions): void {
  route(app, routes.listAuditEntries, async ({ query: { limit = limitUsual, cursor, ...asked } }) => {
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
  });
}

/** Rejects with `UnavailableError`. */
async function whoIs(store: Store, by: string): Promise<string> {
  const key = await getApiKey(store, by);
  return key === undefined ? by : writtenAs(key);
}

function exportRoute(app: App, { store, sealer, clock }: AuditOptions): void {
  route(app, routes.exportAudit, async ({ query: { unsealed = false } }, reply) => {
    await sealer.seal();
    const lines = auditLines(auditRecords(store, { nowMs: clock.now(), isWithUnsealed: unsealed }));
    return reply
      .type('application/x-ndjson')
      .header('content-disposition', 'attachment; filename="baton-audit.ndjson"')
      .send(Readable.from(lines));
  });
}

const shown = ({ detail, at, ...rest }: Entry): AuditEntry => ({
  ...rest,
  at: instant(at),
  detail: JSON.parse(detail) as Json,
});
