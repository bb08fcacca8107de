/** Settings that say who may do what: roles of one's own, and rules from the claims of an identity provider to grants. */
import { builtInRoles, grantFault, NewGrantSchema, RoleNameSchema, roleScopes, type RoleTable } from '@baton/api';
import { compileCondition, didYouMean, pointerTo, readJson, SyntaxProblem } from '@baton/expressions';
import * as z from 'zod';

const rulesMax = 100;
const rolesMax = 50;

const ClaimRuleSchema = NewGrantSchema.extend({ when: z.string() });

/** A person with claims for which `when` is true has the grant. */
export type ClaimRule = Readonly<z.infer<typeof ClaimRuleSchema>>;

const RolesSchema = z
  .record(RoleNameSchema, z.array(z.enum(roleScopes)).min(1))
  .refine((all) => Object.keys(all).length <= rolesMax, `at most ${rolesMax} roles`)
  .refine((all) => !Object.hasOwn(all, 'admin'), 'no role admin: it is Baton’s own');

/** `{"oncall":["runs:read","runs:write"]}` */
export const rolesSetting = () =>
  z.string().transform((text, context): RoleTable => {
    const read = readAs(RolesSchema, text, context, 'an object of roles, each with its scopes');
    return read ?? z.NEVER;
  });

/** `[{"when":"groups.exists(g, g == \"payments\")","role":"author","on":["payments/*"]}]` */
export const claimRulesSetting = () =>
  z.string().transform((text, context): readonly ClaimRule[] => {
    const form = 'a list of rules, each with "when" and "role", and maybe "on" and "effects"';
    const rules = readAs(z.array(ClaimRuleSchema).max(rulesMax), text, context, form);
    for (const [index, { when }] of (rules ?? []).entries()) {
      const fault = conditionFault(when);
      if (fault !== undefined) addFault(context, 'a condition in CEL', `/${index}/when: ${fault}`);
    }
    return rules ?? z.NEVER;
  });

/** Roles that rules name and that there are not, and limits without effect; each with its place. */
export function claimRuleFaults(rules: readonly ClaimRule[], own: RoleTable): readonly string[] {
  const all: RoleTable = { ...builtInRoles, ...own };
  return rules.flatMap(({ role, on, effects }, index) => {
    const scopes = Object.hasOwn(all, role) ? all[role] : undefined;
    if (scopes === undefined) {
      const near = didYouMean(role, Object.keys(all));
      return [`/${index}/role: there is no role ${JSON.stringify(role)}${near === undefined ? '' : `; ${near}`}`];
    }
    const fault = grantFault(scopes, { isLimited: on !== undefined, hasEffects: effects !== undefined });
    return fault === undefined ? [] : [`/${index}/${fault.member}: the role ${role} ${fault.why.replace(/\.$/, '')}`];
  });
}

function conditionFault(when: string): string | undefined {
  try {
    compileCondition(when, '');
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    return `character ${error.span[0] + 1}: ${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`;
  }
}

type Issues = Parameters<Parameters<z.ZodString['transform']>[0]>[1];

/** Undefined, with issues that say where, if the text is no JSON, or of another form. */
function readAs<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  context: Issues,
  form: string,
): z.infer<Schema> | undefined {
  const reading = readJson(text, 'it');
  if ('faults' in reading) {
    for (const { pointer, message } of reading.faults)
      addFault(context, form, `${pointer === undefined ? '' : `${pointer}: `}${message}`);
    return undefined;
  }
  const parsed = schema.safeParse(reading.value);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues)
    addFault(context, form, `${pointerTo(path as (string | number)[])}: ${message}`);
  return undefined;
}

const addFault = (context: Issues, message: string, found: string): void =>
  context.addIssue({ code: 'custom', message, params: { found } });
