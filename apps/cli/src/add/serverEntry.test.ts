import { readRegistryEntry } from '@baton/protocol';
import { describe, expect, test } from 'vitest';

import { planOf, shortNameOf } from './serverEntry.ts';

function plan(json: object, words: readonly string[] = []) {
  const entry = readRegistryEntry({ name: 'io.github.someone/weather-server', ...json });
  if (typeof entry === 'string') throw new Error(entry);
  return planOf(entry, words);
}

/** As the registry has one, shortened. */
const weather = {
  packages: [
    {
      registryType: 'npm',
      identifier: '@someone/weather-server',
      version: '1.2.0',
      transport: { type: 'stdio' },
      packageArguments: [
        { type: 'positional', value: 'serve' },
        { type: 'named', name: '--units', description: 'metric or imperial', default: 'metric' },
      ],
      environmentVariables: [
        { name: 'WEATHER_KEY', description: 'Key', isRequired: true, isSecret: true },
        { name: 'MODE', value: 'fast' },
      ],
    },
  ],
  remotes: [{ type: 'streamable-http', url: 'https://weather.example/mcp' }],
};

describe('a server of the registry', () => {
  test('is started as its npm package in exactly that version, with what it needs', () => {
    const { name, needed, entry } = plan(weather);
    expect(name).toBe('weather');
    expect(needed.map(({ name: one, isSecret, usual }) => [one, isSecret, usual])).toEqual([
      ['--units', false, 'metric'],
      ['WEATHER_KEY', true, undefined],
    ]);
    const values: Readonly<Record<string, string>> = { '--units': 'imperial', WEATHER_KEY: '${secret:WEATHER_KEY}' };
    expect(entry((one) => values[one])).toEqual({
      command: 'npx',
      args: ['-y', '@someone/weather-server@1.2.0', 'serve', '--units', 'imperial'],
      env: { WEATHER_KEY: '${secret:WEATHER_KEY}', MODE: 'fast' },
    });
  });

  test('is reached at its address, with headers whose braces are filled', () => {
    const headers = [
      { name: 'Authorization', value: 'Bearer {token}', isRequired: true, isSecret: true },
      { name: 'X-Client', value: 'baton' },
      { name: 'X-Team', isRequired: false },
    ];
    const { entry } = plan({ remotes: [{ type: 'streamable-http', url: 'https://weather.example/mcp', headers }] });
    expect(entry((one) => (one === 'Authorization' ? '${secret:KEY}' : undefined))).toEqual({
      type: 'http',
      url: 'https://weather.example/mcp',
      headers: { Authorization: 'Bearer ${secret:KEY}', 'X-Client': 'baton' },
    });
  });

  test('is started by the runner of its registry: uvx, docker', () => {
    const pypi = plan({ packages: [{ registryType: 'pypi', identifier: 'weather', version: '2.0' }] });
    expect(pypi.entry(() => undefined)).toEqual({ command: 'uvx', args: ['weather==2.0'] });
    const environmentVariables = [{ name: 'KEY', isRequired: true }];
    const oci = plan({ packages: [{ registryType: 'oci', identifier: 'ghcr.io/a/b:1', environmentVariables }] });
    expect(oci.entry(() => 'x')).toEqual({
      command: 'docker',
      args: ['run', '-i', '--rm', '-e', 'KEY', 'ghcr.io/a/b:1'],
      env: { KEY: 'x' },
    });
  });

  test('is passed the words of the command line: in the places that it has for them, then after the rest', () => {
    const files = { registryType: 'npm', identifier: 'files', version: '1.0' };
    const bare = plan({ packages: [files] }, ['/tmp/box', '--all']);
    expect(bare.entry(() => undefined)).toEqual({ command: 'npx', args: ['-y', 'files@1.0', '/tmp/box', '--all'] });
    const packageArguments = [
      { type: 'positional', valueHint: 'folder', isRequired: true },
      { type: 'named', name: '--mode', value: 'fast' },
    ];
    const { needed, entry } = plan({ packages: [{ ...files, packageArguments }] }, ['/tmp/box', '/tmp/more']);
    expect(needed).toEqual([]);
    expect(entry(() => undefined)).toMatchObject({
      args: ['-y', 'files@1.0', '/tmp/box', '--mode', 'fast', '/tmp/more'],
    });
    const remotes = [{ type: 'streamable-http', url: 'https://weather.example/mcp' }];
    expect(() => plan({ remotes }, ['/tmp/box'])).toThrow('takes no arguments');
  });

  test('that cannot be used is refused, with what could be', () => {
    expect(() => plan({ packages: [{ registryType: 'mcpb', identifier: 'x' }] })).toThrow('no package or address');
  });
});

test.each([
  ['io.github.someone/weather-server', 'weather'],
  ['@modelcontextprotocol/server-memory', 'memory'],
  ['mcp-server-time', 'time'],
  ['mcp.example.com', 'mcp.example.com'],
])('%s is called %s', (name, short) => {
  expect(shortNameOf(name)).toBe(short);
});
