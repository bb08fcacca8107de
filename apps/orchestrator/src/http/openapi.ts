/** The OpenAPI document of the contract, for those who ask this orchestrator for it. */
import type { Access } from '@baton/api';
import { openApiDocument } from '@baton/api';
import type { StaticDocumentSpec } from '@fastify/swagger';
import swagger from '@fastify/swagger';

import type { App } from './edge.ts';

export async function documentRoutes(
  app: App,
  options: { readonly version: string; readonly serverUrl?: string | undefined; readonly metricsAccess: Access },
): Promise<void> {
  // The page of the API reference asks it of this plugin.
  const specification = { document: openApiDocument(options) } as object as StaticDocumentSpec;
  await app.register(swagger, { mode: 'static', specification });
}
