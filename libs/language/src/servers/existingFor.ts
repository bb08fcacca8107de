/** What exists for a workflow: a server that is not for it is as if it was not configured, and a secret as not stored. */
import { matchesWorkflow } from '../document/workflowNames.ts';
import type { DecidedEffect } from '../plan.ts';
import type { Declarations } from './declaration.ts';
import type { ServerOffers } from './offer.ts';
import { isSecretOf, type SecretBinding } from './secretBinding.ts';

/** `allow`: patterns of workflows; undefined: all. */
export const servesWorkflow = (allow: readonly string[] | undefined, workflow: string): boolean =>
  allow === undefined || matchesWorkflow(allow, workflow);

/** As in `CheckOptions`. */
interface KnownParts {
  readonly servers?: ServerOffers | undefined;
  readonly secrets?: ReadonlyMap<string, SecretBinding> | undefined;
  readonly effects?: ((server: string, tool: string) => DecidedEffect | undefined) | undefined;
  readonly declarations?: Declarations | undefined;
}

/** The parts that exist for the workflow. */
export function existingFor(
  workflow: string,
  { servers, secrets, effects, declarations }: KnownParts,
): Required<KnownParts> {
  const exists = (server: string): boolean => servesWorkflow(servers?.get(server)?.allow, workflow);
  return {
    servers: servers && new Map([...servers].filter(([name]) => exists(name))),
    secrets: secrets && new Map([...secrets].filter(([, binding]) => isSecretOf(binding, workflow))),
    effects: effects && ((server, tool) => (exists(server) ? effects(server, tool) : undefined)),
    declarations: declarations && ((server, tool) => (exists(server) ? declarations(server, tool) : undefined)),
  };
}
