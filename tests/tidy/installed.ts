/** What npm installs, and on which Node. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { root, sources } from './sources.ts';

describe('what is installed', () => {
  interface LockEntry {
    readonly link?: boolean;
    readonly integrity?: string;
    readonly resolved?: string;
  }

  test.each(['package-lock.json', 'scripts/node/package-lock.json', 'bench/peers/package-lock.json'])(
    'each package of %s has its digest, for every platform, and no registry is named (node scripts/digests.mjs)',
    (file) => {
      const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
        packages: Record<string, LockEntry>;
      };
      const installed = Object.entries(packages).filter(([path, { link }]) => /node_modules\//.test(path) && !link);
      const without = installed.filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity));
      expect(without.map(([path]) => path)).toEqual([]);
      expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
      expect(installed.length).toBeGreaterThan(0);
    },
  );

  test('the apps have one version, and tell that of their manifest', () => {
    const versions = readdirSync(join(root, 'apps')).map((app) => {
      const text = readFileSync(join(root, 'apps', app, 'package.json'), 'utf8');
      return (JSON.parse(text) as { version: string }).version;
    });
    expect(new Set(versions).size).toBe(1);
    const told = sources.filter(({ room, code }) => room !== undefined && /\bversion = '\d/.test(code));
    expect(told.map(({ path }) => path)).toEqual([]);
  });

  test('an npm script sets up by itself: where npm ignores scripts, it skips `pre…` and `post…`', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)/.test(name))).toEqual([]);
    const setsUp = /^node scripts\/setup\.mjs(?: --no-page)? && hash -r && (?:export \S+ && )?exec /;
    const without = Object.entries(scripts).filter(([, command]) => !setsUp.test(command));
    expect(without.map(([name]) => name)).toEqual([]);
  });

  test('the Node that is needed is told in one voice', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
    const bin = readFileSync(join(root, 'apps/cli/src/baton.mjs'), 'utf8');
    expect(`>=${/needed = '([\d.]+)'/.exec(bin)?.[1]}`).toBe(engines.node);
  });
});
