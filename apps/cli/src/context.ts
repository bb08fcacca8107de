/** What a command has around it. Everything that it reads or writes comes in here, so that `main.ts` alone knows it. */
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
  /** Data. Another one where `--jq` filters it. */
  stdout: Output;
  /** Progress, questions and errors. */
  readonly stderr: Output;
  /** With which the command ends, where nothing is thrown. */
  exitCode: ExitCode = exitCodes.done;

  constructor({ env, stdin, stdout, stderr }: ProcessStreams) {
    this.env = env;
    this.stdin = stdin;
    this.stdout = createOutput(stdout, env);
    this.stderr = createOutput(stderr, env);
  }

  /** A person at the terminal can be asked. */
  get isInteractive(): boolean {
    return this.stdin.isTTY === true && this.stderr.isTerminal;
  }

  /** For the API that `options`, the environment or this machine names. Rejects with `CommandError`. */
  async client(options: AddressOptions): Promise<Client> {
    const { createClient } = await import('./client/createClient.ts');
    return createClient(options, this.env);
  }
}
