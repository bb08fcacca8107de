/** A secret's row in Postgres: the encrypted value, and the workflows and servers that may use it. */
import type { SecretBinding } from '@baton/language';

import { sealedName } from './reserved.ts';
import type { Vault } from './vault.ts';

export interface SecretRow {
  readonly name: string;
  readonly version: number;
  readonly sealed: Uint8Array;
  readonly wrapped: Uint8Array;
  readonly keyId: string;
  readonly workflows: readonly string[];
  readonly servers: readonly string[];
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** Stands for all workflows or servers; none can have this name. */
const all = '*';

export const columnOf = (names: readonly string[] | undefined): string[] => (names === undefined ? [all] : [...names]);

export function bindingOf({ workflows, servers }: Pick<SecretRow, 'workflows' | 'servers'>): SecretBinding {
  return { ...(workflows.includes(all) ? {} : { workflows }), ...(servers.includes(all) ? {} : { servers }) };
}

/** The label with which the value is encrypted: its name, version and bindings. */
export function labelOf(row: Pick<SecretRow, 'name' | 'version' | 'workflows' | 'servers'>) {
  const { version } = row;
  const name = sealedName(row.name);
  const { workflows, servers } = bindingOf(row);
  if (workflows === undefined && servers === undefined) return { name, version };
  return { name, version, bound: JSON.stringify([workflows ?? null, servers ?? null]) };
}

export const boxOf = ({ sealed, wrapped, keyId }: SecretRow) => ({
  sealed: Buffer.from(sealed),
  wrapped: Buffer.from(wrapped),
  keyId,
});

/** Undefined where the installation's key is another one, or the row was tampered with. */
export const openedRow = (vault: Vault, row: SecretRow): string | undefined => vault.open(boxOf(row), labelOf(row));
