/** The API reference as a page: everything that it needs comes from here, so that it works without the internet. */
import swaggerUi from '@fastify/swagger-ui';

import type { App } from '../../http/edge.ts';

/** Enforces that: a browser asks no other host, whatever the page says. */
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
    // A route that says itself who may use it keeps its word.
    page.addHook('onRoute', (route) => {
      route.config = { access: 'public', ...route.config };
    });
    await page.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: policy,
      theme: { title: 'Baton: API reference' },
      // No validator: it would be asked over the internet.
      uiConfig: { url: `${basePath}/openapi.json`, validatorUrl: null, deepLinking: true, defaultModelsExpandDepth: 0 },
    });
  });
}
