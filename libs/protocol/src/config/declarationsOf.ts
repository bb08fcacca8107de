/** What the server configuration declares for the calls of tools, as far as their servers allow it now. */
import { type CheckOptions, type Declarations, resolveDeclaration } from '@baton/language';

import type { ServerPolicy } from './schema.ts';

interface DeclarationSources extends Pick<CheckOptions, 'servers' | 'effects'> {
  readonly policyOf: (server: string) => Pick<ServerPolicy, 'declarations'> | undefined;
}

export const declarationsOf =
  ({ policyOf, ...known }: DeclarationSources): Declarations =>
  (server, tool) => {
    const { declarations = {} } = policyOf(server) ?? {};
    const declared = Object.hasOwn(declarations, tool) ? declarations[tool] : undefined;
    return declared && resolveDeclaration(declared, { server, tool }, known);
  };
