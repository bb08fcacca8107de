/** Routes of the audit trail: entries, export, verification. */
import { Readable } from 'node:stream';

import { type AuditEntry, ProblemError, routes, instant, limitUsual } from '@baton/api';
import { auditName, type Sealer, type Retention } from '@baton/control';
import { type Json, defined } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import {
  type ChainedEntry,
  type Store,
  auditLines,
  auditRecords,
  lastSeal,
  listEntries,
  verifyAudit,
} from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route } from '../../http/route.ts';

export interface AuditOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** The retention settings: removals are compared with them. */
  readonly retention: Pick<Retention, 'keep'>;
}

export function auditRoutes(app: App, options: AuditOptions): void {
  listRoute(app, options);
  exportRoute(app, options);
  const { store, sealer, clock, retention } = options;
  route(app, routes.getAuditKey, async () => {
    const { id, publicKey } = store.auditKeys;
    return { id, algorithm: 'Ed25519' as const, publicKey };
  });
  route(app, routes.verifyAudit, async ({ body }) => {
    // Verifies before it seals, because a fresh seal would cover a forgery.
    const { warnings, ...report } = await verifyAudit(store, {
      nowMs: clock.now(),
      checkpoint: body?.checkpoint,
      keep: retention.keep,
    });
    if (!report.isIntact) return { ...report, warnings: [...warnings] };
    await sealer.seal();
    const checkpoint = (await lastSeal(store)) ?? report.checkpoint;
    return { ...report, checkpoint, warnings: [...warnings] };
  });
}

function listRoute(app: App, { store }: AuditOptions): void {
  route(app, routes.listAuditEntries, async ({ query: { limit = limitUsual, cursor, ...asked } }) => {
    const cursors = new Cursors('audit', asked);
    const before = cursors.read(cursor, (text) => /^\d{1,9}$/.test(text));
    const { action, by, target, from, to } = asked;
    const filter = {
      ...defined({ action }),
      ...(by === undefined ? {} : { by: await auditName(store, by) }),
      ...defined({ target, from, to }),
    };
    const page = { limit, before: before === undefined ? undefined : Number(before) };
    const { entries, next } = await listEntries(store, filter, page);
    return {
      data: entries.map(toAuditEntry),
      ...(next === undefined ? {} : { nextCursor: cursors.write(String(next)) }),
    };
  });
}

function exportRoute(app: App, { store, sealer, clock }: AuditOptions): void {
  route(app, routes.exportAudit, async ({ query: { unsealed = false, from, to } }, reply) => {
    if (unsealed && (from !== undefined || to !== undefined))
      throw new ProblemError(
        'validation-failed',
        '`unsealed` cannot be combined with a time: records get their time when sealed.',
      );
    await sealer.seal();
    const during = from === undefined && to === undefined ? undefined : { from, to };
    const lines = auditLines(auditRecords(store, { nowMs: clock.now(), isWithUnsealed: unsealed, during }));
    return reply
      .type('application/x-ndjson')
      .header('content-disposition', 'attachment; filename="baton-audit.ndjson"')
      .send(Readable.from(lines));
  });
}

const toAuditEntry = ({ detail, at, ...rest }: ChainedEntry): AuditEntry => ({
  ...rest,
  at: instant(at),
  detail: JSON.parse(detail) as Json,
});
