import type { Mutation } from '../mutation.ts';

export const bootMutations: readonly Mutation[] = [
  {
    safeguard: 'passwords of proxies are secrets of the process',
    file: 'libs/boot/src/process/processSecrets.ts',
    find: 'proxyVariables.map((name) => env[name])',
    replace: '[undefined]',
    shownBy: ['libs/boot/src/process/processSecrets.test.ts'],
  },
  {
    safeguard: "orphans: a live owner's children are left",
    file: 'libs/boot/src/process/orphans.ts',
    find: 'if (owner === undefined || startTimeOf(Number(owner)) === startTime) return [];',
    replace: 'if (owner === undefined || Number(owner) === process.pid) return [];',
    shownBy: ['libs/boot/src/process/processes.int.test.ts'],
  },
  {
    safeguard: 'log: passwords in URLs are taken out',
    file: 'libs/boot/src/telemetry/redaction.ts',
    find: '  [/(\\b[a-z][a-z0-9+.-]*:\\/\\/[^\\s:@/"\\\\]{0,256}:)[^\\s@/"\\\\]{1,512}@/gi, `$1${censor}@`],\n',
    replace: '',
    shownBy: ['libs/boot/src/telemetry/redaction.test.ts'],
  },
  {
    safeguard: 'start: an orphan leaves the terminal to the next start',
    file: 'libs/boot/src/process/lifecycle.ts',
    find: "this.#log.level = 'silent';",
    replace: '',
    shownBy: ['libs/boot/src/process/processes.int.test.ts'],
  },
  {
    safeguard: 'start: a port that is taken is told before Postgres is made',
    file: 'apps/cli/src/stack/startStack.ts',
    find: 'await checkPort({ host: settings.BATON_HOST, port: settings.BATON_PORT });',
    replace: 'void checkPort;',
    shownBy: ['apps/cli/src/exitCodes.int.test.ts'],
  },
  {
    safeguard: 'baton add: a secret that exists is not replaced',
    file: 'libs/api/src/client/createClient.ts',
    find: "headers: { 'if-none-match': '*' }, ...options }),\n  delete: (name: string, options?: CallOptions) => call(connection, 'deleteSecret'",
    replace: "...options }),\n  delete: (name: string, options?: CallOptions) => call(connection, 'deleteSecret'",
    shownBy: ['apps/cli/src/servers.int.test.ts'],
  },
  {
    safeguard: 'signals: one Ctrl-C under npm asks a process to end once',
    file: 'libs/primitives/src/withoutEchoes.ts',
    find: 'if (now() - heardAt < echoMs) return;',
    replace: '',
    shownBy: ['libs/primitives/src/withoutEchoes.test.ts', 'libs/boot/src/process/processes.int.test.ts'],
  },
  {
    safeguard: 'start: a process whose supervisor was killed ends',
    file: 'libs/boot/src/process/lifecycle.ts',
    find: "process.on('disconnect', () => this.#onOrphaned());",
    replace: '',
    shownBy: ['libs/boot/src/process/processes.int.test.ts'],
  },
  {
    safeguard: 'orphans: children of a dead owner are found',
    file: 'libs/boot/src/process/orphans.ts',
    find: 'if (owner === undefined || startTimeOf(Number(owner)) === startTime) return [];',
    replace: 'return [];',
    shownBy: ['libs/boot/src/process/processes.int.test.ts'],
  },
  {
    safeguard: 'a process of baton dev that died is started again',
    file: 'libs/boot/src/process/supervisor.ts',
    find: 'if (!mayRestart(how)) return;',
    replace: 'return;',
    shownBy: ['tests/embedded.test.ts'],
  },
];
