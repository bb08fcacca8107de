import { expect, test } from 'vitest';

import { readRegistryEntry } from './registryEntry.ts';

const env = (more: object): object => ({
  name: 'weather',
  packages: [{ identifier: 'weather', environmentVariables: [{ name: 'TOKEN', ...more }] }],
});

test.each([
  [env({ value: '${secret:GITHUB_TOKEN}' }), '${secret:GITHUB_TOKEN}'],
  [env({ default: 'x-${AWS_SECRET_ACCESS_KEY}' }), '${AWS_SECRET_ACCESS_KEY}'],
  [{ name: 'weather', packages: [{ identifier: 'x', packageArguments: [{ value: '${env:HOME}' }] }] }, '${env:HOME}'],
  [{ name: 'weather', remotes: [{ type: 'sse', url: 'https://a.example/${secret:KEY}' }] }, '${secret:KEY}'],
  [
    { name: 'weather', remotes: [{ type: 'sse', url: 'https://a', headers: [{ name: 'A', value: '${input:K}' }] }] },
    '${input:K}',
  ],
])('an entry that would have another secret sent to its server is refused: %j', (entry, reference) => {
  expect(readRegistryEntry(entry)).toBe(`it must not refer to ${reference}`);
});

test('a description may say how it is referred to', () => {
  expect(readRegistryEntry(env({ description: 'Write ${secret:TOKEN}.' }))).toMatchObject({ name: 'weather' });
});

test.each([
  ['--registry=http://evil.example', '1.0.0'],
  ['-v=/:/host', '1'],
  ['x@file:../evil', '1.0.0'],
  ['git+https://evil.example/x', '1.0.0'],
  ['x', '1 --call=evil'],
  ['x', '-1'],
])('an entry whose package could be an option or another source is refused: %s, %s', (identifier, version) => {
  const entry = { name: 'weather', packages: [{ identifier, version }] };
  expect(readRegistryEntry(entry)).toContain('of a package');
});

test.each([
  ['npm', 'https://evil.example/x.tgz'],
  ['npm', 'file:../evil'],
  ['npm', 'github:evil/x'],
  ['npm', 'evil/x'],
  ['npm', 'x:y'],
  ['pypi', 'https://evil.example/x.whl'],
  ['pypi', 'x/y'],
])('an entry of %s that names another source than a package is refused: %s', (registryType, identifier) => {
  expect(readRegistryEntry({ name: 'weather', packages: [{ registryType, identifier }] })).toContain('no name');
});

test.each([
  ['npm', '@scope/name'],
  ['npm', 'name.of_it-1'],
  ['pypi', 'name[extra]'],
])('a package of %s is named: %s', (registryType, identifier) => {
  expect(readRegistryEntry({ name: 'weather', packages: [{ registryType, identifier }] })).toBeTypeOf('object');
});

test.each(['name.of_it-1', 'docker.io/owner/image', 'ghcr.io:443/owner/image:1.0'])(
  'packages and images are named: %s',
  (identifier) => {
    expect(readRegistryEntry({ name: 'weather', packages: [{ identifier, version: '1.0.0+b' }] })).toBeTypeOf('object');
  },
);
