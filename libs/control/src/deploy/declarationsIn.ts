/** What the configuration of a server declares for its tools, as far as these are as it needs them. */
import type { Declarations, ServerOffer } from '@baton/language';
import { type Catalogue, type ServerPolicy, declarationsOf } from '@baton/protocol';

import { effectOf } from './pins.ts';

export function declarationsIn(
  server: string,
  { tools }: Pick<Catalogue, 'tools'>,
  policy: ServerPolicy,
): Declarations {
  const offer: ServerOffer = { kind: 'known', tools, prompts: [], resources: [], resourceTemplates: [] };
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  return declarationsOf({
    servers: new Map([[server, offer]]),
    effects: (_, tool) => effectOf(tool, named.get(tool), policy),
    policyOf: () => policy,
  });
}
