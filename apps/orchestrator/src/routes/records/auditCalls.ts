/** Lists tool calls for auditors: who called which tool, when, with which outcome. */
import { createHash } from 'node:crypto';

import { type AuditCall, instant, limitUsual, routes } from '@baton/api';
import { auditName } from '@baton/control';
import { type Call, calledName, shownEffectOf } from '@baton/engine';
import { defined } from '@baton/primitives';
import { type CallPlace, type RecordedCall, type Store, isRunId, listCalls } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { Cursors } from '../../http/parameters.ts';
import { route } from '../../http/route.ts';

const previewMax = 200;

export function auditCallRoutes(app: App, { store }: { readonly store: Store }): void {
  route(app, routes.listAuditCalls, async ({ query: { limit = limitUsual, cursor, ...asked } }) => {
    const cursors = new Cursors('audit calls', asked);
    const place = cursors.read(cursor, (text) => placeIn(text) !== undefined);
    const by = asked.by === undefined ? undefined : await auditName(store, asked.by);
    const after = place === undefined ? undefined : placeIn(place);
    const { calls, next } = await listCalls(store, { ...asked, by }, { limit, after });
    return {
      data: calls.map(toAuditCall),
      ...(next === undefined ? {} : { nextCursor: cursors.write(`${next.runId}:${next.seq}`) }),
    };
  });
}

function placeIn(text: string): CallPlace | undefined {
  const [, runId = '', seq = ''] = /^(.{36}):(\d{1,9})$/.exec(text) ?? [];
  return isRunId(runId) ? { runId, seq: Number(seq) } : undefined;
}

function toAuditCall({ runId, at, by, workflow, version, path, attempt, call, end }: RecordedCall): AuditCall {
  const tool = calledName(call);
  return {
    at: instant(at),
    by,
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
