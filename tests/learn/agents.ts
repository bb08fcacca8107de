/**
 * Fifteen agents that work through the gateway with real servers: what an agent would do by hand every day, as a script.
 * Each gets a folder of files and an empty knowledge graph. Their recorded sessions are in libs/learn/recordings.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { CallToolResult } from '@modelcontextprotocol/client';

/** Calls a tool of the gateway. */
type Call = (name: string, given?: Record<string, unknown>) => Promise<CallToolResult>;

export interface Agent {
  readonly name: string;
  readonly does: (call: Call, root: string) => Promise<void>;
}

/** What is in the folder when an agent begins. */
export function furnish(root: string): void {
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
  for (const folder of ['notes', 'logs', 'inbox']) mkdirSync(join(root, folder), { recursive: true });
  write('notes/alpha.md', 'Alpha is on track and ships in May.');
  write('notes/beta.md', 'Beta waits for the security review.');
  write('notes/plan.txt', 'Nothing to see here.');
  write('logs/api.log', 'GET /health 200\nGET /users 500');
  write('logs/web.log', 'started\nstopped');
  write('logs/readme.md', 'Logs of the week.');
  write('inbox/first.txt', 'one');
  write('inbox/second.txt', 'two');
  write('inbox/keep.csv', 'a,b');
  write('settings.json', '{"host":"db.internal","port":5432,"owner":"platform-team"}');
  write('people.json', '[{"name":"Ada Lovelace","role":"engineer"},{"name":"Grace Hopper","role":"admiral"}]');
}

const textOf = ({ content }: CallToolResult): string =>
  content.map((one) => (one.type === 'text' ? one.text : '')).join('\n');

const listed = async (call: Call, path: string): Promise<readonly string[]> =>
  textOf(await call('files__list_directory', { path }))
    .split('\n')
    .filter((line) => line.startsWith('[FILE] '))
    .map((line) => line.replace('[FILE] ', ''));

const read = async (call: Call, path: string): Promise<string> => textOf(await call('files__read_text_file', { path }));

const people = [
  { name: 'ada', entityType: 'person', observations: ['writes programs'] },
  { name: 'grace', entityType: 'person', observations: ['finds bugs'] },
  { name: 'compiler', entityType: 'project', observations: ['A-0'] },
];

interface Graph {
  readonly entities: readonly { readonly name: string; readonly entityType: string }[];
}

const graphIn = ({ structuredContent }: CallToolResult): Graph => structuredContent as Graph;

export const agents: readonly Agent[] = [
  {
    name: 'collect-notes',
    does: async (call, root) => {
      const names = (await listed(call, `${root}/notes`)).filter((name) => name.endsWith('.md'));
      const texts: string[] = [];
      for (const name of names) texts.push(await read(call, `${root}/notes/${name}`));
      await call('files__write_file', { path: `${root}/all.md`, content: texts.join('\n') });
    },
  },
  {
    name: 'back-up-settings',
    does: async (call, root) => {
      const content = await read(call, `${root}/settings.json`);
      await call('files__write_file', { path: `${root}/settings.backup.json`, content });
    },
  },
  {
    name: 'archive-logs',
    does: async (call, root) => {
      const names = (await listed(call, `${root}/logs`)).filter((name) => name.endsWith('.log'));
      await call('files__create_directory', { path: `${root}/archive` });
      for (const name of names) {
        await call('files__move_file', { source: `${root}/logs/${name}`, destination: `${root}/archive/${name}` });
      }
    },
  },
  {
    name: 'index-notes',
    does: async (call, root) => {
      const found = textOf(await call('files__search_files', { path: root, pattern: '**/*.md' }));
      await call('files__write_file', { path: `${root}/index.txt`, content: found });
    },
  },
  {
    name: 'remember-people',
    does: async (call, root) => {
      const known = JSON.parse(await read(call, `${root}/people.json`)) as { name: string; role: string }[];
      for (const { name, role } of known) {
        await call('memory__create_entities', { entities: [{ name, entityType: 'person', observations: [role] }] });
      }
    },
  },
  {
    name: 'weather-by-echo',
    does: async (call) => {
      const weather = await call('every__get-structured-content', { location: 'Chicago' });
      const { temperature, conditions } = weather.structuredContent as { temperature: number; conditions: string };
      await call('every__echo', { message: `In Chicago it is ${temperature} degrees: ${conditions}` });
    },
  },
  {
    name: 'sums',
    does: async (call) => {
      const first = textOf(await call('every__get-sum', { a: 1200, b: 34 }));
      const total = Number(/is (\d+)/.exec(first)?.[1]);
      await call('every__get-sum', { a: total, b: 4000 });
    },
  },
  {
    name: 'greet-every-person',
    does: async (call) => {
      await call('memory__create_entities', { entities: people });
      const { entities } = graphIn(await call('memory__read_graph'));
      for (const { name } of entities.filter(({ entityType }) => entityType === 'person')) {
        await call('memory__add_observations', { observations: [{ entityName: name, contents: ['was greeted'] }] });
      }
    },
  },
  {
    name: 'find-after-a-mistake',
    does: async (call, root) => {
      await call('files__read_text_file', { path: `${root}/notes/alfa.md` });
      const content = await read(call, `${root}/notes/alpha.md`);
      await call('files__write_file', { path: `${root}/copy-of-alpha.md`, content });
    },
  },
  {
    name: 'look-around-first',
    does: async (call, root) => {
      await call('files__list_allowed_directories');
      await call('files__directory_tree', { path: root });
      await call('files__create_directory', { path: `${root}/reports` });
      await call('files__write_file', { path: `${root}/reports/today.md`, content: '# Today' });
    },
  },
  {
    name: 'relate-people',
    does: async (call) => {
      await call('memory__create_entities', { entities: people });
      const { entities } = graphIn(await call('memory__search_nodes', { query: 'person' }));
      for (const { name } of entities) {
        const relation = { from: name, to: 'compiler', relationType: 'works on' };
        await call('memory__create_relations', { relations: [relation] });
      }
    },
  },
  {
    name: 'rename-texts',
    does: async (call, root) => {
      const names = (await listed(call, `${root}/inbox`)).filter((name) => name.endsWith('.txt'));
      for (const name of names) {
        const stem = name.split('.')[0] ?? '';
        await call('files__move_file', { source: `${root}/inbox/${name}`, destination: `${root}/inbox/${stem}.md` });
      }
    },
  },
  {
    name: 'summarize-notes',
    does: async (call, root) => {
      await read(call, `${root}/notes/alpha.md`);
      await read(call, `${root}/notes/beta.md`);
      const content =
        'Alpha ships in May as planned. Beta cannot ship before the security review is done, so somebody should ask for a date.';
      await call('files__write_file', { path: `${root}/summary.md`, content });
    },
  },
  {
    name: 'list-sizes',
    does: async (call, root) => {
      const sizes: string[] = [];
      for (const name of await listed(call, `${root}/logs`)) {
        const info = textOf(await call('files__get_file_info', { path: `${root}/logs/${name}` }));
        sizes.push(info);
      }
      await call('files__write_file', { path: `${root}/sizes.txt`, content: sizes.join('\n') });
    },
  },
  {
    name: 'notes-into-memory',
    does: async (call, root) => {
      const entities = ['alpha', 'beta'].map((name) => ({ name, entityType: 'project', observations: [] }));
      await call('memory__create_entities', { entities });
      const graph = graphIn(await call('memory__search_nodes', { query: 'project' }));
      for (const { name } of graph.entities) {
        const text = await read(call, `${root}/notes/${name}.md`);
        await call('memory__add_observations', { observations: [{ entityName: name, contents: [text] }] });
      }
    },
  },
];
