import fastify from 'fastify';
import { describe, expect, test } from 'vitest';

import { docsRoutes } from './docsRoutes.ts';
import { docsSite } from './docsSite.ts';
import { renderMarkdown } from './renderPage.ts';
import { docsFolder, readSections } from './siteFiles.ts';

// The routes alone: nothing of them depends on the rest.
const app = fastify({ exposeHeadRoutes: false });
docsRoutes(app, { folder: docsFolder, basePath: '' });
const get = (url: string) => app.inject({ url, headers: { host: 'localhost' } });

describe('the docs', () => {
  test('are pages that need nothing from elsewhere, and no script in the page itself', async () => {
    for (const url of ['/docs', '/docs/language', '/docs/reference/api', '/docs/api']) {
      const { statusCode, headers, body } = await get(url);
      expect([url, statusCode, headers['content-type']]).toEqual([url, 200, 'text/html; charset=utf-8']);
      expect(headers['content-security-policy']).toContain(`default-src 'none'`);
      expect(headers['content-security-policy']).not.toContain('unsafe');
      const needed = [...body.matchAll(/<(?:script src|link [^>]*href|img src)="([^"]+)"/g)].map(
        ([, one]) => one ?? '',
      );
      expect(needed).toEqual(['/docs/icon.svg', '/docs/site.css', '/docs/site.js']);
      expect(body).toContain('<a class="page" href="/">');
      for (const address of needed) expect([address, (await get(address)).statusCode]).toEqual([address, 200]);
      expect(body).not.toMatch(/<script(?! src=)|<style| style=| on\w+=/);
    }
  });

  test('are there as Markdown, for the search, and for language models', async () => {
    expect((await get('/docs/language.md')).body).toMatch(/^# /);
    const models = (await get('/llms.txt')).body;
    expect(models).toMatch(/^# Baton\n\n> /);
    for (const [, address = ''] of models.matchAll(/\]\((\/docs\/[^)]+\.md)\)/g))
      expect([address, (await get(address)).statusCode]).toEqual([address, 200]);
    const sections = JSON.parse((await get('/docs/search.json')).body) as { name: string; text: string }[];
    expect(sections.find(({ name, text }) => name === 'triggers' && text.includes('webhook'))).toBeDefined();
    expect((await get('/docs/none')).statusCode).toBe(404);
    expect((await get('/docs/../package.json')).statusCode).toBe(404);
    expect((await get('/docs/..%2f..%2fpackage.json')).statusCode).toBe(404);
  });

  test('lead from page to page, and to headings that are there', async () => {
    const site = await docsSite({ folder: docsFolder, base: '/docs' });
    const pages = (await readSections(docsFolder)).flatMap((section) => section.pages);
    const ids = new Map(
      pages.map((page) => [page.name, new Set(renderMarkdown(page, '').headings.map(({ id }) => id))]),
    );
    const dead = pages.flatMap(({ name }) =>
      [...(site.get(name)?.body ?? '').matchAll(/href="(\/docs\/[^"#]*|)(?:#([^"]*))?"/g)].flatMap(
        ([href, path = '', id]) => {
          const target = path === '' ? name : path.slice('/docs/'.length);
          const isThere = site.has(target) && (id === undefined || id === '' || ids.get(target)?.has(decodeURI(id)));
          return isThere === true ? [] : [`${name}: ${href}`];
        },
      ),
    );
    expect(dead).toEqual([]);
  });
});
