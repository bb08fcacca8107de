/** `package.json` of the package. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { external } from './bundle.ts';

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly config?: { readonly packageName?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestAt = (...path: string[]): Manifest =>
  JSON.parse(readFileSync(join(...path, 'package.json'), 'utf8')) as Manifest;

export function packageManifest(root: string, files: readonly string[]): object {
  const { version, config: { packageName: name = '' } = {} } = manifestAt(root, 'apps/cli');
  const { description, license } = manifestAt(root);
  return {
    name,
    version,
    description,
    keywords: ['mcp', 'workflow', 'durable', 'orchestration', 'model-context-protocol'],
    license,
    ...sourceRepository(process.env),
    type: 'module',
    bin: { baton: 'bin/baton.mjs', [name]: 'bin/baton.mjs' },
    exports: {
      './client': { types: './client/index.d.ts', default: './client/index.js' },
      './schema.json': './schema/workflow.json',
    },
    files,
    engines: { node: '>=22.15' },
    dependencies: dependenciesOf(root),
  };
}

/** npm compares the provenance with it: only the CI of a repository packs what is published. */
function sourceRepository({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository }: NodeJS.ProcessEnv): object {
  if (server === undefined || repository === undefined) return {};
  return { repository: { type: 'git', url: `git+${server}/${repository}.git` } };
}

/** What stays outside of the bundle, in the versions that the rooms have. */
function dependenciesOf(root: string): Readonly<Record<string, string>> {
  const rooms = ['apps', 'libs'].flatMap((side) => readdirSync(join(root, side)).map((room) => join(side, room)));
  const versions = Object.assign({}, ...rooms.map((room) => manifestAt(root, room).dependencies)) as Record<
    string,
    string
  >;
  return Object.fromEntries(
    external.toSorted().map((name) => {
      const version = versions[name];
      if (version === undefined) throw new Error(`No room depends on ${name}.`);
      return [name, version];
    }),
  );
}
