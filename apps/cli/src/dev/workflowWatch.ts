/** `baton dev`: deploys the workflows of a folder when they are saved, and reports mistakes with their place. */
import { readFile } from 'node:fs/promises';

import { type Client, ProblemError, UnreachableError } from '@baton/api/client';
import { excerpt } from '@baton/expressions';
import { workflowNamedIn } from '@baton/language';
import { unawaited } from '@baton/primitives';

import { printFindings } from '../check/printFindings.ts';
import { type Twin, twinsOf } from '../check/twinsOf.ts';
import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { deployFile, lineOfDeployment, scheduleLines } from '../deploy/deployFile.ts';
import { type WorkflowFile, workflowFilesIn } from '../workflowFiles.ts';
import { FolderWatch } from './folderWatch.ts';
import { notWatched } from './notWatched.ts';

export class WorkflowWatch {
  readonly #context: Context;
  readonly #client: Client;
  readonly #folder: string;
  readonly #watch: FolderWatch;
  /** The last text that was deployed or refused, by file. */
  readonly #seen = new Map<string, string>();
  /** The text that was held back because another file names the same workflow, by file. */
  readonly #held = new Map<string, string>();
  /** The workflow that was deployed, by file. */
  readonly #deployed = new Map<string, string>();
  /** The pass in progress; the next one waits for it. */
  #looking: Promise<void> = Promise.resolve();

  constructor(context: Context, client: Client, folder: string) {
    this.#context = context;
    this.#client = client;
    this.#folder = folder;
    this.#watch = new FolderWatch(folder, {
      onChange: () => unawaited(this.look()),
      onFault: (unwatched, cause) => {
        const { stderr } = context;
        stderr.line(
          `${stderr.paint.yellow('!')} ${notWatched(`The folder ${unwatched}`, cause)} Deploy what you save there: baton deploy FILE`,
        );
      },
    });
  }

  /** Resolves to the number of workflows after each was deployed or refused. */
  async open(): Promise<number> {
    await this.#watch.open();
    await this.look();
    return new Set([...this.#seen.keys(), ...this.#held.keys()]).size;
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
    const names = await workflowFilesIn(this.#folder);
    const files: WorkflowFile[] = [];
    for (const name of names) {
      const text = await readFile(name, 'utf8').catch(() => '');
      // An editor that is writing a file may leave it empty for a moment.
      files.push({ name, path: name, text: text === '' ? (this.#seen.get(name) ?? '') : text });
    }
    const twins = twinsOf(files);
    for (const name of this.#held.keys()) if (!twins.has(name)) this.#held.delete(name);
    for (const { name, text } of files) {
      if (text === '' || text === this.#seen.get(name)) continue;
      const twin = twins.get(name);
      if (twin !== undefined) this.#hold(name, text, twin);
      else if (await this.#deploy(name, text)) this.#seen.set(name, text);
    }
    this.#sayWhatIsGone(new Set(names));
  }

  /** Says once why a text is not deployed; it is as soon as its workflow has one file. */
  #hold(name: string, text: string, { workflow, other, findings }: Twin): void {
    const { stderr } = this.#context;
    if (this.#held.get(name) === text) return;
    this.#held.set(name, text);
    printFindings(stderr, name, findings);
    stderr.line(
      `${stderr.paint.red('✗')} ${name} was not deployed: ${other} is the workflow "${excerpt(workflow)}" too.`,
    );
  }

  /** Deletes nothing: a file may be gone for a moment only, as when a branch is checked out. */
  #sayWhatIsGone(names: ReadonlySet<string>): void {
    const { stderr } = this.#context;
    for (const name of this.#seen.keys()) {
      if (names.has(name)) continue;
      const workflow = this.#deployed.get(name);
      this.#seen.delete(name);
      this.#deployed.delete(name);
      // The workflow of a renamed file is in another file.
      if (workflow === undefined || [...this.#deployed.values()].includes(workflow)) continue;
      stderr.line(
        `${stderr.paint.yellow('!')} ${name} is gone. Its workflow ${workflow} stays deployed, and a trigger can still start it. Delete it: baton workflows delete ${workflow}`,
      );
    }
  }

  /** Names of the deployed workflows that no file of the folder has. Rejects like every call of the client. */
  async withoutFile(): Promise<string[]> {
    // A refused file names its workflow too.
    const named = [...this.#seen.values(), ...this.#held.values()].flatMap((text) => workflowNamedIn(text) ?? []);
    const here = new Set([...this.#deployed.values(), ...named]);
    const deployed = await Array.fromAsync(this.#client.workflows.all());
    return deployed.map(({ id }) => id).filter((id) => !here.has(id));
  }

  /** False if the next pass must try again. */
  async #deploy(name: string, text: string): Promise<boolean> {
    const { stderr } = this.#context;
    try {
      const deployment = await deployFile(stderr, this.#client, { name, text });
      printFindings(stderr, name, deployment.findings);
      if (deployment.id !== undefined) this.#deployed.set(name, deployment.id);
      if (deployment.outcome !== 'unchanged')
        for (const line of [lineOfDeployment(deployment, stderr), ...scheduleLines(deployment, stderr)])
          stderr.line(line);
      return true;
    } catch (error) {
      if (!(error instanceof ProblemError || error instanceof UnreachableError || error instanceof CommandError))
        throw error;
      stderr.line(`${stderr.paint.red('✗')} ${name} was not deployed: ${error.message}`);
      return false;
    }
  }
}
