/** Reads the pages of docs/: their order, Markdown, titles and first sentences. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The same path in a clone and in the npm package. */
export const docsFolder = fileURLToPath(new URL('../../../../docs', import.meta.url));

export interface DocsPage {
  /** The path of the file below docs/ without `.md`, and the address below /docs: `language`, `reference/api`. */
  readonly name: string;
  readonly title: string;
  /** The first sentence after the title, as Markdown. */
  readonly about: string;
  readonly markdown: string;
}

export interface DocsSection {
  readonly heading: string;
  readonly pages: readonly DocsPage[];
}

/** Sections and pages in reading order. */
const order: Readonly<Record<string, readonly string[]>> = {
  'Get started': ['tutorial', 'concepts', 'editors', 'distribution'],
  'Write workflows': [
    'language',
    'expressions',
    'checking',
    'testing',
    'idioms',
    'authoring',
    'learning',
    'importing',
    'ported',
  ],
  'Run them': ['triggers', 'servers', 'models', 'secrets', 'gateway', 'connect'],
  Operate: ['deployment', 'operations', 'security', 'audit', 'performance'],
  Reference: [],
  'How it is made': [],
};
const restOf = { reference: 'Reference', decisions: 'How it is made' } as const;

/** Empty if there is no such folder. */
export async function readSections(folder: string): Promise<readonly DocsSection[]> {
  const names = await markdownIn(folder);
  const pages = await Promise.all(names.map((name) => readPage(folder, name)));
  const headingOf = ({ name }: DocsPage): string => {
    const [top = ''] = name.split('/');
    const listed = Object.entries(order).find(([, some]) => some.includes(name))?.[0];
    return listed ?? (top === 'reference' ? restOf.reference : restOf.decisions);
  };
  return Object.entries(order)
    .map(([heading, some]) => ({
      heading,
      pages: pages
        .filter((page) => headingOf(page) === heading)
        .toSorted((one, other) => placeOf(some, one) - placeOf(some, other) || (one.name < other.name ? -1 : 1)),
    }))
    .filter((section) => section.pages.length > 0);
}

const placeOf = (some: readonly string[], { name }: DocsPage): number => {
  const at = some.indexOf(name);
  return at === -1 ? some.length : at;
};

async function markdownIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((path) => path.endsWith('.md') && path !== 'README.md')
    .map((path) => path.replaceAll('\\', '/').slice(0, -'.md'.length));
}

async function readPage(folder: string, name: string): Promise<DocsPage> {
  const markdown = await readFile(join(folder, `${name}.md`), 'utf8');
  const [, title = name] = /^# (.+)$/m.exec(markdown) ?? [];
  const paragraphs = markdown.replace(/^```[^]*?^```$/gm, '').split(/\n\s*\n/);
  const text = paragraphs.find((one) => /^[A-Z`[*]/.test(one.trim()) && !one.trim().startsWith('# ')) ?? '';
  const [about = ''] = /^[^]*?[.:](?=\s|$)/.exec(text.trim().replaceAll('\n', ' ')) ?? [''];
  return { name, title: title.replaceAll('`', ''), about, markdown };
}
