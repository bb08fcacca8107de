/** Operations of the audit trail: entries, calls, export, verification, and how long records are kept. */
import { createHash } from 'node:crypto';

import { type AuditCall, type AuditEntry, type Received, ProblemError, routes, instant } from '@baton/api';
import { type Call, calledName, shownEffectOf } from '@baton/engine';
import { durationText } from '@baton/language';
import { type Json, defined } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import {
  type CallPlace,
  type ChainedEntry,
  type RecordedCall,
  type Store,
  auditLines,
  auditRecords,
  isRemovalGuarded,
  isRunId,
  lastSeal,
  listCalls,
  listEntries,
  verifyAudit as verifyTrail,
} from '@baton/store';

import { auditName } from '../audit/auditName.ts';
import type { Sealer } from '../audit/sealer.ts';
import { readActor } from '../keys/actor.ts';
import type { Retention } from '../retention/retention.ts';
import { ofInstallation } from './operation.ts';
import type { PageInput } from './page.ts';

interface AuditParts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** Removals are compared with its settings. */
  readonly retention: Retention;
}

const previewMax = 200;

type Filtered<Query> = Omit<Query, 'limit' | 'cursor'> & PageInput;

/** Newest first. */
export const listAuditEntries = ofInstallation(
  routes.listAuditEntries,
  async (
    { store }: AuditParts,
    { limit, after, by, ...asked }: Filtered<Received<typeof routes.listAuditEntries>['query']>,
  ) => {
    const filter = defined({ ...asked, by: by === undefined ? undefined : await auditName(store, by) });
    const before = after === undefined ? undefined : Number(after);
    const { entries, next } = await listEntries(store, filter, { limit, before });
    return { data: entries.map(toAuditEntry), next: next === undefined ? undefined : String(next) };
  },
);

/** Who called which tool, when, with which outcome. */
export const listAuditCalls = ofInstallation(
  routes.listAuditCalls,
  async (
    { store }: AuditParts,
    { limit, after: place, ...asked }: Filtered<Received<typeof routes.listAuditCalls>['query']>,
  ) => {
    const by = asked.by === undefined ? undefined : await auditName(store, asked.by);
    const after = place === undefined ? undefined : callPlaceIn(place);
    const { calls, next } = await listCalls(store, { ...asked, by }, { limit, after });
    return { data: calls.map(toAuditCall), next: next && `${next.runId}:${next.seq}` };
  },
);

/** Its lines. */
export const exportAudit = ofInstallation(
  routes.exportAudit,
  async (
    { store, sealer, clock }: AuditParts,
    { unsealed = false, from, to }: Received<typeof routes.exportAudit>['query'],
  ) => {
    if (unsealed && (from !== undefined || to !== undefined))
      throw new ProblemError(
        'validation-failed',
        '`unsealed` cannot be combined with a time: records get their time when sealed.',
      );
    await sealer.seal();
    const during = from === undefined && to === undefined ? undefined : { from, to };
    return auditLines(auditRecords(store, { nowMs: clock.now(), isWithUnsealed: unsealed, during }));
  },
);

export const getAuditKey = ofInstallation(routes.getAuditKey, async ({ store }: AuditParts) => {
  const { id, publicKey } = store.auditKeys;
  return { id, algorithm: 'Ed25519' as const, publicKey };
});

export const verifyAudit = ofInstallation(
  routes.verifyAudit,
  async ({ store, sealer, clock, retention }: AuditParts, body: Received<typeof routes.verifyAudit>['body']) => {
    // Verifies before it seals, because a fresh seal would cover a forgery.
    const { warnings, ...report } = await verifyTrail(store, {
      nowMs: clock.now(),
      checkpoint: body?.checkpoint,
      keep: retention.keep,
    });
    if (!report.isIntact) return { ...report, warnings: [...warnings] };
    await sealer.seal();
    const checkpoint = (await lastSeal(store)) ?? report.checkpoint;
    return { ...report, checkpoint, warnings: [...warnings] };
  },
);

export const getRetention = ofInstallation(routes.getRetention, async ({ store, retention }: AuditParts) => {
  const { runsMs, recordsMs } = retention.keep;
  const [removable, isGuarded] = await Promise.all([retention.count(), isRemovalGuarded(store)]);
  const removal = isGuarded ? ('own-role' as const) : ('setting' as const);
  return { runs: keptFor(runsMs), records: keptFor(recordsMs), removal, removable };
});

const keptFor = (ms: number): string => (ms === Infinity ? 'forever' : durationText(ms));

const toAuditEntry = ({ detail, at, by, ...rest }: ChainedEntry): AuditEntry => ({
  ...rest,
  ...readActor(by),
  at: instant(at),
  detail: JSON.parse(detail) as Json,
});

/** The place where a page ended. */
function callPlaceIn(text: string): CallPlace | undefined {
  const [, runId = '', seq = ''] = /^(.{36}):(\d{1,9})$/.exec(text) ?? [];
  return isRunId(runId) ? { runId, seq: Number(seq) } : undefined;
}

function toAuditCall({ runId, at, by, workflow, version, path, attempt, call, end }: RecordedCall): AuditCall {
  const tool = calledName(call);
  return {
    at: instant(at),
    ...readActor(by),
    workflow,
    ...defined({ version }),
    run: runId,
    step: path,
    attempt,
    verb: call.verb,
    ...('server' in call ? { server: call.server } : {}),
    ...defined({ tool }),
    ...(call.verb === 'tool' ? { effect: shownEffectOf(call) } : {}),
    arguments: argumentsOf(call),
    ...defined({ login: end?.login }),
    outcome: end?.outcome ?? 'running',
    ...(end === undefined ? {} : { durationMs: end.at - at }),
  };
}

function argumentsOf(call: Call): { sha256: string; preview: string } {
  const value = call.verb === 'sample' ? call.request : call.arguments;
  if ('blob' in value) return { sha256: value.blob.sha256, preview: value.blob.preview.slice(0, previewMax) };
  const text = JSON.stringify('json' in value ? value.json : value.list);
  const sha256 = call.verb === 'tool' ? call.digest : undefined;
  return { sha256: sha256 ?? createHash('sha256').update(text).digest('hex'), preview: text.slice(0, previewMax) };
}
