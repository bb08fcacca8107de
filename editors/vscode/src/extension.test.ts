/** The grammar by snapshots, and the package by what is in it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { strFromU8, unzipSync } from 'fflate';
import { afterAll, describe, expect, test } from 'vitest';
import oniguruma from 'vscode-oniguruma';
import textmate from 'vscode-textmate';

import { packExtension } from '../package.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

async function grammar(): Promise<textmate.IGrammar> {
  const wasm = readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(new Uint8Array(wasm).buffer);
  const files: Record<string, string> = {
    'source.baton': 'syntaxes/workflow.tmLanguage.json',
    'source.baton.expression': 'syntaxes/expression.tmLanguage.json',
  };
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns: string[]) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text: string) => new oniguruma.OnigString(text),
    }),
    // The editor has the grammar of YAML itself; here its texts are plain.
    loadGrammar: async (scope) => {
      const path = files[scope];
      return path === undefined ? null : textmate.parseRawGrammar(read(path), path);
    },
    getInjections: (scope) => (scope === 'source.baton' ? ['source.baton.expression'] : undefined),
  });
  const loaded = await registry.loadGrammar('source.baton');
  if (loaded === null) throw new Error('no grammar');
  return loaded;
}

describe('the grammar', () => {
  test.each([
    ['an expression in a text', 'title: "Issue ${{ inputs.number }} of ${{ upper(steps.a.?name) }}"'],
    ['a map inside of an expression', "with: ${{ {'a': {'b': 1}} }} rest"],
    ['a list with a condition', '  list: "${{ steps.x.output.filter(r, r.age >= 18 && !(r.name in [\'a\'])) }}"'],
    ['a bare condition', '  - if: steps.a.output.n > 1.5 && error == null # why'],
    ['what is no condition', 'name: if this'],
  ])('%s', async (_, line) => {
    const { tokens } = (await grammar()).tokenizeLine(line, null);
    const shown = tokens.map(({ startIndex, endIndex, scopes }) => {
      const scope = scopes.filter((one) => one.endsWith('.baton') && !one.startsWith('source')).join(' ');
      return `${line.slice(startIndex, endIndex)}  ${scope}`;
    });
    expect(shown.filter((one) => !/^\s*$/.test(one))).toMatchSnapshot();
  });
});

describe('the package', () => {
  const target = mkdtempSync(join(tmpdir(), 'baton-vsix-'));
  afterAll(() => rmSync(target, { recursive: true, force: true }));

  test('holds all that its manifest names, and one file of code', async () => {
    const files = unzipSync(new Uint8Array(readFileSync(await packExtension(target))));
    const manifest = JSON.parse(strFromU8(files['extension/package.json'] ?? new Uint8Array())) as {
      main: string;
      contributes: { grammars: { path: string }[]; languages: { configuration: string }[] };
    };
    const named = [
      manifest.main,
      ...manifest.contributes.grammars.map(({ path }) => path),
      ...manifest.contributes.languages.map(({ configuration }) => configuration),
    ];
    expect(named.filter((path) => files[`extension/${path.replace('./', '')}`] === undefined)).toEqual([]);
    const code = strFromU8(files['extension/dist/extension.js'] ?? new Uint8Array());
    // Bundled: but for the editor itself and Node there is nothing to load.
    const loaded = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name.replace('node:', ''));
    const builtin = new Set(require('node:module').builtinModules as readonly string[]);
    expect([...new Set(loaded)].filter((name) => name !== 'vscode' && !builtin.has(name))).toEqual([]);
    expect(strFromU8(files['extension.vsixmanifest'] ?? new Uint8Array())).toContain('Id="baton-workflows"');
  });
});
