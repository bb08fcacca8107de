/** Compares the tables of keys, people and deployed versions with the audit entries about them. */
import type { Json, JsonObject } from '@baton/primitives';

import type { AuditProblem } from '../audit/auditProblem.ts';
import type { ChainedEntry } from '../audit/entries.ts';
import { detailIn } from '../audit/readRecord.ts';
import type { Database } from '../database/database.ts';
import type { ApiKeyRow } from '../keys/apiKeys.ts';
import { fingerprintOf } from '../keys/fingerprint.ts';
import { personDetail } from '../people/people.ts';

/** The fields of a key in the detail of `key.created`, which are compared with its row. */
const keyFields = [
  'name',
  'scopes',
  'workflows',
  'effects',
  'approve',
  'limits',
  'person',
  'expiresAt',
  'fingerprint',
] as const;

/** The fields of a person in the details of their entries. */
const personFields = ['name', 'issuer', 'subject', 'grants', 'claimed', 'isUnvouched'] as const;

interface RecordedKey {
  readonly by: string;
  readonly detail: JsonObject;
  isRevoked: boolean;
}

interface RecordedPerson {
  /** Who added them. */
  readonly by: string;
  /** As the newest entry has it. */
  detail: JsonObject;
  isRemoved: boolean;
}

interface RecordedVersion {
  /** As the entry has it: a tampered one may have anything. */
  readonly digest: Json | undefined;
  readonly by: string;
}

export class RecordedState {
  readonly #keys = new Map<string, RecordedKey>();
  readonly #people = new Map<string, RecordedPerson>();
  readonly #versions = new Map<string, RecordedVersion>();

  take({ action, target, by, detail: text }: Pick<ChainedEntry, 'action' | 'target' | 'by' | 'detail'>): void {
    if (action === 'key.created') this.#keys.set(target, { by, detail: detailIn(text) ?? {}, isRevoked: false });
    const key = action === 'key.revoked' ? this.#keys.get(target) : undefined;
    if (key !== undefined) key.isRevoked = true;
    if (action.startsWith('person.')) this.#takePerson({ action, target, by, detail: text });
    if (action !== 'workflow.deployed') return;
    const { version, digest } = detailIn(text) ?? {};
    this.#versions.set(`${target}@${JSON.stringify(version)}`, { digest, by });
  }

  /** Rejects with `UnavailableError`. */
  async problem(database: Database): Promise<AuditProblem | undefined> {
    const ofAccess = (await this.#keyProblem(database)) ?? (await this.#personProblem(database));
    return ofAccess ?? (await this.#versionProblem(database));
  }

  #takePerson({ action, target, by, detail: text }: Pick<ChainedEntry, 'action' | 'target' | 'by' | 'detail'>): void {
    const person = this.#people.get(target);
    if (action === 'person.removed' || action === 'person.restored') {
      if (person !== undefined) person.isRemoved = action === 'person.removed';
      return;
    }
    const detail = detailIn(text) ?? {};
    this.#people.set(target, { by: person?.by ?? by, detail, isRemoved: person?.isRemoved ?? false });
  }

  async #personProblem({ prisma }: Database): Promise<AuditProblem | undefined> {
    for (const row of await prisma.person.findMany({ orderBy: { id: 'asc' } })) {
      const where = `person ${row.id}`;
      const recorded = this.#people.get(row.id);
      if (recorded === undefined) return { kind: 'forged', where, message: 'No audit entry records their addition.' };
      const shown: JsonObject = personDetail(row);
      const wrong = personFields.find((name) => JSON.stringify(recorded.detail[name]) !== JSON.stringify(shown[name]));
      if (wrong !== undefined || recorded.by !== row.createdBy)
        return {
          kind: 'edited',
          where,
          message: `Their \`${wrong ?? 'createdBy'}\` is not what the audit entry says.`,
        };
      if (recorded.isRemoved !== (row.removedAt !== null)) {
        const message = recorded.isRemoved
          ? 'They were removed, and may log in again.'
          : 'They are removed, but no audit entry records that.';
        return { kind: 'edited', where, message };
      }
    }
    return undefined;
  }

  async #keyProblem({ prisma }: Database): Promise<AuditProblem | undefined> {
    for (const row of await prisma.apiKey.findMany({ orderBy: { id: 'asc' } })) {
      const where = `key ${row.id}`;
      const recorded = this.#keys.get(row.id);
      if (recorded === undefined) return { kind: 'forged', where, message: 'No audit entry records its creation.' };
      const { by, detail, isRevoked } = recorded;
      const shown = shownOf(row);
      const wrong = keyFields.find((name) => isDifferent(name, detail[name], shown[name]));
      if (wrong !== undefined || by !== row.createdBy)
        return { kind: 'edited', where, message: `Its \`${wrong ?? 'createdBy'}\` differs from the audit entry.` };
      if (isRevoked !== (row.revokedAt !== null)) {
        const message = isRevoked
          ? 'It was revoked, and is valid again.'
          : 'It is revoked, but no audit entry records that.';
        return { kind: 'edited', where, message };
      }
    }
    return undefined;
  }

  async #versionProblem({ prisma }: Database): Promise<AuditProblem | undefined> {
    const select = { workflowId: true, version: true, digest: true, deployedBy: true } as const;
    const latest = new Map<string, number>();
    for (const row of await prisma.workflowVersion.findMany({
      select,
      orderBy: [{ workflowId: 'asc' }, { version: 'asc' }],
    })) {
      const where = `version ${row.version} of ${row.workflowId}`;
      const recorded = this.#versions.get(`${row.workflowId}@${row.version}`);
      if (recorded === undefined) return { kind: 'forged', where, message: 'No audit entry records its deployment.' };
      if (recorded.digest !== row.digest || recorded.by !== row.deployedBy)
        return { kind: 'edited', where, message: 'It differs from its audit entry.' };
      latest.set(row.workflowId, row.version);
    }
    for (const { id, latest: newest } of await prisma.workflow.findMany({ select: { id: true, latest: true } }))
      if (newest !== latest.get(id))
        return {
          kind: 'edited',
          where: `workflow ${id}`,
          message: 'Its newest version is not the last one that was deployed.',
        };
    const gone = [...this.#versions.keys()].find(
      (name) => (latest.get(name.replace(/@\d+$/, '')) ?? 0) < versionIn(name),
    );
    return gone === undefined
      ? undefined
      : { kind: 'missing', where: gone, message: 'It was deployed, but is missing.' };
  }
}

const versionIn = (name: string): number => Number(/@(\d+)$/.exec(name)?.[1]);

const shownOf = (
  row: Omit<ApiKeyRow, 'id' | 'createdBy' | 'createdAt' | 'revokedAt' | 'lastUsedAt'>,
): Readonly<Record<(typeof keyFields)[number], unknown>> => ({
  name: row.name,
  scopes: row.scopes,
  workflows: row.workflows.length === 0 ? undefined : row.workflows,
  effects: row.effects ?? undefined,
  approve: row.approve ?? undefined,
  expiresAt: row.expiresAt?.toISOString(),
  limits: row.limits ?? undefined,
  person: row.person ?? undefined,
  fingerprint: fingerprintOf(row.secretHash),
});

/** Entries of older versions of Baton have no fingerprint. */
const isDifferent = (name: string, recorded: unknown, shown: unknown): boolean =>
  JSON.stringify(recorded) !== JSON.stringify(shown) && !(name === 'fingerprint' && recorded === undefined);
