/** The pages of docs/ that the author of a workflow needs, for clients of `/mcp`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { docsFolder } from './siteFiles.ts';

/** By name: what the page is about. */
export const authorPages = {
  language: 'The workflow language: every verb, and every key of a step',
  expressions: 'Expressions: every function',
  triggers: 'Schedules, webhooks, resources, tools',
  idioms: 'Patterns: paging, fallbacks, clean-up, the first of several',
  servers: 'How servers are configured',
  models: 'Models for `sample`',
  secrets: 'Secrets, and how workflows use them',
  checking: 'What the checker finds',
  testing: 'Recorded runs as tests',
  authoring: 'Writing workflows over MCP',
  learning: 'Workflows from sessions',
  importing: 'Importing from GitHub Actions and n8n',
  gateway: 'Sessions at the gateway',
} as const satisfies Readonly<Record<string, string>>;

export type AuthorPage = keyof typeof authorPages;

export const isAuthorPage = (name: string): name is AuthorPage => Object.hasOwn(authorPages, name);

export const authorPageNames = Object.keys(authorPages) as readonly AuthorPage[];

export const authorPageUri = (name: string): string => `baton://docs/${name}`;

/** As Markdown; its links to other pages are addresses of these resources. */
export async function readAuthorPage(name: AuthorPage): Promise<string> {
  const markdown = await readFile(join(docsFolder, `${name}.md`), 'utf8');
  return markdown.replaceAll(/\]\((\w+)\.md(#[\w-]+)?\)/g, (link, page: string) =>
    isAuthorPage(page) ? `](${authorPageUri(page)})` : link,
  );
}
