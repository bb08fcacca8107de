/** Renders a page of docs/ as HTML, with one style sheet and the script of the search. */
import MarkdownIt from 'markdown-it';

import type { DocsPage, DocsSection } from './siteFiles.ts';

/** A heading of a page, with its anchor. */
interface DocsHeading {
  readonly id: string;
  readonly text: string;
  readonly level: number;
}

export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly DocsHeading[];
}

const repository = 'https://github.com/batonflow/baton';

/** The anchor of a heading, as GitHub makes it. */
const idOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** `base`: the prefix of every address of the site, such as `/docs`. */
export function renderMarkdown({ name, markdown }: DocsPage, base: string): RenderedPage {
  const headings: DocsHeading[] = [];
  const seen = new Map<string, number>();
  // Escapes HTML in pages, although the pages are our own.
  const renderer = new MarkdownIt({ html: false, linkify: false });
  const tokens = renderer.parse(markdown, {});
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const text = textOf(tokens[i + 1]);
      const plain = idOf(text);
      const before = seen.get(plain) ?? 0;
      seen.set(plain, before + 1);
      const id = before === 0 ? plain : `${plain}-${before}`;
      token.attrSet('id', id);
      headings.push({ id, text, level: Number(token.tag.slice(1)) });
    }
    for (const child of token.children ?? []) {
      const attribute = ({ link_open: 'href', image: 'src' } as const)[child.type];
      const address = attribute === undefined ? null : child.attrGet(attribute);
      if (attribute === undefined || address === null) continue;
      child.attrSet(attribute, addressOf(String(address), name, base));
    }
  }
  return { html: renderer.renderer.render(tokens, renderer.options, {}), headings };
}

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number];

const textOf = (token: Token | undefined): string => (token?.children ?? []).map(({ content }) => content).join('');

/** The address of a link: pages of docs/ on this site, other files in the repository. */
function addressOf(href: string, from: string, base: string): string {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const url = new URL(href, `https://site/docs/${from}`);
  const path = url.pathname.slice(1);
  const [, page] = /^docs\/(.+)\.md$/.exec(path) ?? [];
  if (page === 'README') return `${base}${url.hash}`;
  if (page !== undefined) return `${base}/${page}${url.hash}`;
  return path.startsWith('docs/pictures/')
    ? `${base}/${path.slice('docs/'.length)}`
    : `${repository}/blob/main/${path}`;
}

export interface PageFrame {
  readonly title: string;
  /** The prefix of the site, such as `/docs`. */
  readonly base: string;
  readonly sections: readonly DocsSection[];
  /** Name of the page; absent for the first page. */
  readonly here?: string;
  readonly body: string;
  readonly headings?: readonly DocsHeading[];
}

export function pageHtml({ title, base, sections, here, body, headings = [] }: PageFrame): string {
  const sidebar = sections.map(({ heading, pages }) => {
    const links = pages.map(({ name, title: text }) => {
      const mark = name === here ? ' aria-current="page"' : '';
      return `<li><a href="${base}/${name}"${mark}>${escaped(text)}</a></li>`;
    });
    return `<h2>${escaped(heading)}</h2><ul>${links.join('')}</ul>`;
  });
  const contents = headings
    .filter(({ level }) => level === 2)
    .map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`);
  const aside = contents.length === 0 ? '' : `<aside><h2>On this page</h2><ul>${contents.join('')}</ul></aside>\n`;
  const markdown =
    here === undefined ? '' : `<p class="source"><a href="${base}/${here}.md">This page as Markdown</a></p>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Baton</title>
<link rel="icon" type="image/svg+xml" href="${base}/icon.svg">
<link rel="stylesheet" href="${base}/site.css">
<script src="${base}/site.js" defer></script>
<header><a class="home" href="${base}">Baton</a>
<form role="search"><input type="search" placeholder="Search the docs (press /)" aria-label="Search the docs" data-index="${base}/search.json" data-base="${base}" autocomplete="off"></form>
<ol class="results" hidden></ol><a class="page" href="${base.replace(/\/docs$/, '')}/">Open Baton</a></header>
<div class="columns${aside === '' ? ' without-aside' : ''}">
<nav aria-label="Pages">${sidebar.join('')}</nav>
<main>${body}${markdown}</main>
${aside}</div>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => entities[one] ?? one);
