/** Roles: named sets of scopes. Those of Baton, and those of the settings. */
import { builtInRoles, type RoleScope, type RoleTable } from '@baton/api';
import { sessionWorkflow } from '@baton/language';
import type { Person, StoredGrant } from '@baton/store';

import { covers } from './covers.ts';
import type { Rights } from './scopes.ts';

export class Roles {
  /** The scopes of each role, by its name. */
  readonly all: RoleTable;

  /** `own`: those of the settings; they replace roles of Baton of the same name, except `admin`. */
  constructor(own: RoleTable = {}) {
    this.all = { ...builtInRoles, ...own, admin: builtInRoles.admin };
  }

  /** The scopes of a role; none where there is no such role any more. */
  scopesOf(role: string): readonly RoleScope[] {
    return (Object.hasOwn(this.all, role) ? this.all[role] : undefined) ?? [];
  }

  /** Without grants that allow nothing beyond another one: what one of them hides, the other shows. */
  rightsOf({ grants, claimed }: Pick<Person, 'grants' | 'claimed'>): readonly Rights[] {
    const all = [...grants, ...claimed].map((grant) => this.rights(grant));
    return all.filter(
      (one, at) =>
        !all.some((other, before) => other !== one && covers(other, one) && (before < at || !covers(one, other))),
    );
  }

  rights({ role, on, effects }: StoredGrant): Rights {
    const named = on?.filter((one) => one !== sessionWorkflow);
    const workflows = named === undefined || named.includes('*') ? undefined : new Set(named);
    return { scopes: new Set(this.scopesOf(role)), workflows, effects };
  }
}
