/** Opens links to a server with a command. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import { FailureError } from '@baton/engine';
import type { StdioServerConfig } from '@baton/protocol';
import type { KnownSecrets } from '@baton/runner';

import type { Connector, Link } from '../link/link.ts';
import { RedactedLink } from '../link/redactedLink.ts';
import { serverLabelOf } from '../link/serverLabel.ts';
import { environmentOf, type Environment } from './environment.ts';
import { findExecutable } from './executable.ts';
import type { StopTimeLimits } from './serverProcess.ts';
import { StdioLink } from './stdioLink.ts';

export interface StdioConnectorOptions extends StopTimeLimits {
  readonly environment: Environment;
  /** Folder of the configuration file: relative paths begin there. */
  readonly root: string;
  readonly mark: string | undefined;
  /** The words to put before the command, from `findGuard`. */
  readonly guard: readonly string[];
  readonly lineBytes: number;
  readonly known: KnownSecrets;
}

/** `shown`: the same configuration with its references unresolved, for messages. */
export function stdioConnector(
  config: StdioServerConfig,
  shown: StdioServerConfig,
  surroundings: StdioConnectorOptions,
): Connector {
  const peer = serverLabelOf(shown, surroundings.known);
  return {
    kind: 'process',
    connect: async (): Promise<Link> => {
      const { root, guard, environment, mark } = surroundings;
      const env = environmentOf(environment, config.env, mark);
      const cwd = resolve(root, config.cwd ?? '.');
      const isFolder = await stat(cwd).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (!isFolder) throw unstartable(peer, `its working directory ${shown.cwd ?? root} does not exist`);
      const program = await findExecutable(config.command, env['PATH'], cwd);
      if (program === undefined) {
        const where = config.command.includes('/') ? 'at that path' : 'on its PATH';
        throw unstartable(peer, `there is no program "${shown.command}" ${where}`);
      }
      const argv: [string, ...string[]] = [...guard, program, ...config.args] as [string, ...string[]];
      return new RedactedLink(new StdioLink({ argv, env, cwd }, { ...surroundings, peer }), surroundings.known);
    },
  };
}

const unstartable = (peer: string, why: string): FailureError =>
  new FailureError('server-unreachable', `The server ${peer} cannot be started: ${why}.`, {
    delivery: 'unsent',
    details: { peer, exitCode: null },
  });
