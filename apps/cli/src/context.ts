/** The environment of a command. Everything that a command reads or writes is passed in here by `main.ts`. */
import type { Readable } from 'node:stream';

import type { Client } from '@baton/api/client';

import type { AddressOptions, Environment } from './client/address.ts';
import type { ExitCode } from './exitCodes.ts';
import { exitCodes } from './exitCodes.ts';
import type { Output, OutputStream } from './output/output.ts';
import { createOutput } from './output/output.ts';

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

  /** Whether the command's last client used the default address, because nothing names another. */
  isDefaultAddress = false;
  #toldFolder: string | undefined;

  /** A client for the API that `options`, the environment or this machine names. Rejects with `CommandError`. */
  async client(options: AddressOptions): Promise<Client> {
    const [{ createClient }, { inheritedDataFolder, isDefaultAddress }] = await Promise.all([
      import('./client/createClient.ts'),
      import('./client/address.ts'),
    ]);
    const above = await inheritedDataFolder(options, this.env);
    if (above !== undefined && above !== this.#toldFolder) this.stderr.line(`Using the data folder ${above}.`);
    this.#toldFolder = above;
    const env = above === undefined ? this.env : { ...this.env, BATON_DATA: above };
    this.isDefaultAddress = await isDefaultAddress(options, env);
    return createClient(options, env);
  }
}
