/** Reads from the audit what proofs decided about changed tools. */
import type { AuditEntry } from '@baton/api/client';
import { countText } from '@baton/engine';
import { membersOf } from '@baton/primitives';

/** A workflow that goes on with a changed tool. */
export interface ToolProof {
  readonly at: string;
  readonly workflow: string;
  /** The version that is pinned to the changed tool. */
  readonly version: number;
  /** What changed, in sentences. */
  readonly changes: string;
  /** How many recorded answers were compared, of all tools of the workflow that changed. */
  readonly answers: number;
}

/** By the name of the tool, the newest first. `entries`: of the action `tools.repinned`, the newest first. */
export function proofsOf(server: string, entries: readonly AuditEntry[]): ReadonlyMap<string, readonly ToolProof[]> {
  const proofs = new Map<string, ToolProof[]>();
  for (const { at, target: workflow, detail } of entries) {
    const { tools, changes, version, answers } = membersOf(detail);
    const sentences = Array.isArray(changes) ? changes.map(String) : [];
    for (const target of Object.keys(membersOf(tools))) {
      if (!target.startsWith(`${server}/`)) continue;
      const tool = target.slice(server.length + 1);
      const start = `${target}: `;
      const own = sentences.filter((one) => one.startsWith(start)).map((one) => one.slice(start.length));
      const proof = { at, workflow, version: Number(version), changes: own.join(' '), answers: Number(answers) };
      proofs.set(tool, [...(proofs.get(tool) ?? []), proof]);
    }
  }
  return proofs;
}

export function answersText(answers: number): string {
  if (answers === 0) return 'No recorded answer was there to compare.';
  return `${countText(answers, 'recorded answer')} ${answers === 1 ? 'fits' : 'fit'} what it promises now.`;
}
