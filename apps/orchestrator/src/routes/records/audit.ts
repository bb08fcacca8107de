/** Routes of the audit trail. */
import { Readable } from 'node:stream';

import { control } from '@baton/control';

import type { App } from '../../http/edge.ts';
import { serve, serveAsIs, serveList } from '../../http/route.ts';

export function auditRoutes(app: App, options: Parameters<typeof control.verifyAudit>[0]): void {
  serveList(app, control.listAuditEntries, options, {
    list: 'audit',
    isPlace: (text) => /^\d{1,9}$/.test(text),
    shown: (entry) => entry,
  });
  serveList(app, control.listAuditCalls, options, {
    list: 'audit calls',
    isPlace: (text) => /^[\da-f-]{36}:\d{1,9}$/.test(text),
    shown: (call) => call,
  });
  serve(app, control.exportAudit, options, {
    input: ({ query }) => query,
    answer: (lines, reply) =>
      reply
        .type('application/x-ndjson')
        .header('content-disposition', 'attachment; filename="baton-audit.ndjson"')
        .send(Readable.from(lines)),
  });
  serveAsIs(app, control.getAuditKey, options);
  serve(app, control.verifyAudit, options, { input: ({ body }) => body, answer: (report) => report });
  serveAsIs(app, control.getRetention, options);
}
