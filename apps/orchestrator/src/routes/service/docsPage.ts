/** The API reference as a page. It loads everything from here, so it works without the internet. */
import swaggerUi from '@fastify/swagger-ui';

import type { App } from '../../http/edge.ts';

/** Enforces that the page contacts no other host. */
const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'font-src': "'self' data:",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
  'form-action': "'self'",
};

export function docsPage(app: App, basePath: string): void {
  void app.register(async (page: App) => {
    // A route that declares its own access keeps it.
    page.addHook('onRoute', (route) => {
      route.config = { access: 'public', ...route.config };
    });
    await page.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: policy,
      theme: { title: 'Baton: API reference' },
      // No validator, since it is on another host.
      uiConfig: { url: `${basePath}/openapi.json`, validatorUrl: null, deepLinking: true, defaultModelsExpandDepth: 0 },
    });
  });
}
