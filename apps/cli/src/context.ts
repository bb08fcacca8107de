/** The environment of a command. Everything that a command reads or writes is passed in here by `main.ts`. */
import type { Readable } from 'node:stream';

import type { Client } from '@baton/api/client';

import type { AddressOptions } from './client/address.ts';
import type { Environment } from './environment.ts';
import { type ExitCode, exitCodes } from './exitCodes.ts';
import { type Output, type OutputStream, createOutput } from './output/output.ts';

/** Terminals, pipes, or streams of a test. */
export interface ProcessStreams {
  readonly env: Environment;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

type InputStream = Readable & { readonly isTTY?: boolean };

export class Context {
  readonly env: Environment;
  readonly stdin: InputStream;
  /** For data. With `--jq` it filters them. */
  stdout: Output;
  /** For progress, questions and errors. */
  readonly stderr: Output;
  /** The global options of the command: which Baton is meant. */
  address: AddressOptions = {};
  /** The exit code of a command that throws nothing. */
  exitCode: ExitCode = exitCodes.done;

  constructor({ env, stdin, stdout, stderr }: ProcessStreams) {
    this.env = env;
    this.stdin = stdin;
    this.stdout = createOutput(stdout, env);
    this.stderr = createOutput(stderr, env);
  }

  /** Whether a person at the terminal can be asked. */
  get isInteractive(): boolean {
    return this.stdin.isTTY === true && this.stderr.isTerminal;
  }

  /** The server at which the client of the command is logged in; undefined: it has a key, or none. */
  loggedInAt: string | undefined;

  #toldFolder: string | undefined;

  /** A client for the API that `address`, the environment or this machine names. Rejects with `CommandError`. */
  async client(): Promise<Client> {
    const { findClient } = await import('./client/createClient.ts');
    const { client, login } = await findClient(this.address, await this.apiEnvironment());
    this.loggedInAt = login?.server;
    return client;
  }

  /**
   * The environment to find the API in: with the data folder of a folder above, if the address or the key comes from
   * there. Tells so once. Rejects with `CommandError`.
   */
  async apiEnvironment(): Promise<Environment> {
    const { inheritedDataFolder } = await import('./client/address.ts');
    const above = await inheritedDataFolder(this.address, this.env);
    if (above !== undefined && above !== this.#toldFolder) this.stderr.line(`Using the data folder ${above}.`);
    this.#toldFolder = above;
    return above === undefined ? this.env : { ...this.env, BATON_DATA: above };
  }
}
