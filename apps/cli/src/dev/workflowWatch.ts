/** `baton dev`: deploys the workflows of a folder when they are saved, and reports mistakes with their place. */
import { readFile } from 'node:fs/promises';

import type { Client } from '@baton/api/client';
import { ProblemError, UnreachableError } from '@baton/api/client';

import { printFindings } from '../check/printFindings.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { deployFile, lineOfDeployment } from '../deploy/deployFile.ts';
import { workflowFilesIn } from '../workflowFiles.ts';
import { FolderWatch } from './folderWatch.ts';

export class WorkflowWatch {
  readonly #context: Context;
  readonly #client: Client;
  readonly #folder: string;
  readonly #watch: FolderWatch;
  /** By file: the last text that was deployed or refused. */
  readonly #seen = new Map<string, string>();
  /** The pass in progress; the next one waits for it. */
  #looking: Promise<void> = Promise.resolve();

  constructor(context: Context, client: Client, folder: string) {
    this.#context = context;
    this.#client = client;
    this.#folder = folder;
    this.#watch = new FolderWatch(folder, () => void this.look());
  }

  /** Resolves to the number of workflows after each was deployed or refused. */
  async open(): Promise<number> {
    await this.#watch.open();
    await this.look();
    return this.#seen.size;
  }

  close(): void {
    this.#watch.close();
  }

  /** Deploys files that changed since the last pass. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look());
    return this.#looking;
  }

  async #look(): Promise<void> {
    for (const name of await workflowFilesIn(this.#folder)) {
      const text = await readFile(name, 'utf8').catch(() => undefined);
      // An editor that is writing a file may leave it empty for a moment.
      if (text === undefined || text === '' || text === this.#seen.get(name)) continue;
      if (await this.#deploy(name, text)) this.#seen.set(name, text);
    }
  }

  /** False if the next pass must try again. */
  async #deploy(name: string, text: string): Promise<boolean> {
    const { stderr } = this.#context;
    try {
      const deployment = await deployFile(this.#client, { name, text });
      printFindings(stderr, name, deployment.findings);
      if (deployment.outcome !== 'unchanged') stderr.line(lineOfDeployment(deployment, stderr));
      return true;
    } catch (error) {
      if (!(error instanceof ProblemError || error instanceof UnreachableError || error instanceof CommandError))
        throw error;
      stderr.line(`${stderr.paint.red('✗')} ${name} was not deployed: ${error.message}`);
      return false;
    }
  }
}
