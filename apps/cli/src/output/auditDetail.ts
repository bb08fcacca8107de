/** The details of an entry of the audit in words: first what changed, and not what it is about, which has its own column. */
import type { AuditEntry } from '@baton/api/client';
import { isObject } from '@baton/primitives';

export function auditDetail({ target, detail }: Pick<AuditEntry, 'target' | 'detail'>): string {
  if (!isObject(detail)) return JSON.stringify(detail);
  const { changes, ...others } = detail;
  const rest = Object.entries(others)
    .filter(([, value]) => value !== target)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  const sentences = Array.isArray(changes) ? changes.filter((one) => typeof one === 'string') : [];
  return [...sentences, ...(rest === '' ? [] : [rest])].join(' ');
}
