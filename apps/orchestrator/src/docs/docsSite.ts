/** Renders the docs as a site: pages, the index of the search, and texts for language models. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { escaped, pageHtml, renderMarkdown } from './renderPage.ts';
import { type DocsPage, type DocsSection, readSections } from './siteFiles.ts';

export interface DocsFile {
  readonly type: string;
  readonly body: string;
}

const html = 'text/html; charset=utf-8';
const plain = 'text/plain; charset=utf-8';
const own = {
  css: fileURLToPath(new URL('./site.css', import.meta.url)),
  js: fileURLToPath(new URL('./site.js', import.meta.url)),
  icon: fileURLToPath(new URL('../../../dashboard/public/baton.svg', import.meta.url)),
};

export interface DocsSiteOptions {
  readonly folder: string;
  /** The prefix of every address: the path of the installation, and `/docs`. */
  readonly base: string;
}

/** All files of the site, by their address below `base`; the first page has the address ''. */
export async function docsSite({ folder, base }: DocsSiteOptions): Promise<ReadonlyMap<string, DocsFile>> {
  const sections = await readSections(folder);
  const pages = sections.flatMap((section) => section.pages);
  const files = new Map<string, DocsFile>([
    ['', { type: html, body: firstPage(sections, base) }],
    ['site.css', { type: 'text/css; charset=utf-8', body: await readFile(own.css, 'utf8') }],
    ['site.js', { type: 'text/javascript; charset=utf-8', body: await readFile(own.js, 'utf8') }],
    ['icon.svg', { type: 'image/svg+xml', body: await readFile(own.icon, 'utf8') }],
    ['search.json', { type: 'application/json; charset=utf-8', body: JSON.stringify(pages.flatMap(searchSections)) }],
    ['llms.txt', { type: plain, body: llmsText(sections, base) }],
    ['llms-full.txt', { type: plain, body: pages.map(({ markdown }) => markdown).join('\n\n') }],
  ]);
  for (const page of pages) {
    const { name, title, markdown } = page;
    const { html: body, headings } = renderMarkdown(page, base);
    files.set(name, { type: html, body: pageHtml({ title, base, sections, here: name, body, headings }) });
    files.set(`${name}.md`, { type: 'text/markdown; charset=utf-8', body: markdown });
  }
  const api = files.get('reference/api');
  if (api !== undefined) files.set('api', api);
  return files;
}

function firstPage(sections: readonly DocsSection[], base: string): string {
  const parts = sections.map(({ heading, pages }) => {
    const rows = pages.map((page) => {
      const about = renderMarkdown({ ...page, markdown: page.about }, base).html.replace(/^<p>|<\/p>\s*$/g, '');
      return `<dt><a href="${base}/${page.name}">${escaped(page.title)}</a></dt><dd>${about}</dd>`;
    });
    return `<h2>${escaped(heading)}</h2><dl class="pages">${rows.join('')}</dl>`;
  });
  const intro = `<h1>Baton</h1><p>Durable workflows over MCP. Begin with the <a href="${base}/tutorial">tutorial</a>: ten minutes.</p>
<p>The REST API: <a href="${base}/api">reference</a>, <a href="${base.replace(/\/docs$/, '')}/openapi.json">OpenAPI document</a>. For language models: <a href="${base}/llms.txt">llms.txt</a>.</p>`;
  return pageHtml({ title: 'Docs', base, sections, body: `${intro}${parts.join('')}` });
}

/** https://llmstxt.org */
function llmsText(sections: readonly DocsSection[], base: string): string {
  const parts = sections.map(({ heading, pages }) => {
    const rows = pages.map(({ name, title, about }) => `- [${title}](${base}/${name}.md): ${about}`);
    return `## ${heading}\n\n${rows.join('\n')}\n`;
  });
  return `# Baton\n\n> Durable workflows over MCP: every call is checked against the tools of the running servers before anything runs, and no write that may have happened is repeated, unless you say so.\n\n${parts.join('\n')}`;
}

interface SearchedSection {
  readonly name: string;
  /** Id of the heading; empty for the text before the first heading. */
  readonly id: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** Splits a page into sections for the search. */
function searchSections(page: DocsPage): SearchedSection[] {
  const { headings } = renderMarkdown(page, '');
  const parts = page.markdown
    .replace(/^```.*$/gm, '')
    .split(/^#{1,6} .*$/gm)
    .slice(1);
  return headings.map(({ id, text: heading, level }, i) => ({
    name: page.name,
    id: level === 1 ? '' : id,
    page: page.title,
    heading: level === 1 ? '' : heading,
    text: (parts[i] ?? '')
      .replaceAll(/[`*|]|\]\([^)]*\)|\[/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }));
}
