/**
 * Learns a workflow from a run, in a thread: a session can have thousands of calls, and other requests must not wait.
 * The configuration and the tools of the servers tell which values are not inputs, and what has changed since.
 */
import { isAbsolute, resolve } from 'node:path';

import { ProblemError } from '@baton/api';
import { FailureError } from '@baton/engine';
import type { Finding } from '@baton/language';
import { type Learned, type LearnQuestion, type SeenCall, type SeenRun, targetOf } from '@baton/learn';
import { type Json, defined, isObject } from '@baton/primitives';
import type { ServersConfig, Tool } from '@baton/protocol';

import type { CatalogueCache } from '../deploy/catalogueCache.ts';
import type { Checker, DeployedWorkflows } from '../deploy/checker.ts';
import type { CheckThreads } from '../deploy/threads/checkThreads.ts';

export interface WorkflowLearnerOptions {
  readonly threads: CheckThreads;
  readonly checker: Checker;
  readonly config: ServersConfig;
  readonly catalogueCache: CatalogueCache;
  /** Folder of the configuration: relative paths begin there. Absent: relative paths stay as they are. */
  readonly root?: string | undefined;
}

export interface LearnOrder {
  readonly name?: string | undefined;
  /** Answers by the id of the question: the number of the option. */
  readonly answers: Readonly<Record<string, number>>;
}

export interface LearnedWorkflow extends Pick<Learned, 'source' | 'inputs' | 'leftOut' | 'notes' | 'replay'> {
  /** Unanswered questions with more than one option. */
  readonly questions: readonly LearnQuestion[];
  /** Findings of the checker, with the current tools of the servers. */
  readonly findings: readonly Finding[];
}

export class WorkflowLearner {
  readonly #options: WorkflowLearnerOptions;

  constructor(options: WorkflowLearnerOptions) {
    this.#options = options;
  }

  /** Rejects with `ProblemError` if nothing can be learned, and with `UnavailableError`. */
  async learn(
    run: SeenRun,
    { name, answers }: LearnOrder,
    deployedWorkflows: DeployedWorkflows,
  ): Promise<LearnedWorkflow> {
    const { threads, checker } = this.#options;
    const tools = await this.#toolsOf(run, deployedWorkflows.person);
    const ended = await threads.run({
      kind: 'learn',
      run,
      options: {
        ...defined({ name }),
        answers: new Map(Object.entries(answers)),
        constants: this.#paths(),
        schemas: new Map([...tools].map(([target, { inputSchema }]) => [target, inputSchema as Json])),
        choices: new Set([...tools].flatMap(([target, { inputSchema }]) => choicesOf(target, inputSchema))),
      },
    });
    if (ended.kind === 'given-up') {
      const at = ended.at === undefined ? '' : ` It was at the call ${ended.at}.`;
      throw new ProblemError('conflict', `The run is too long to learn from: it took too much time or memory.${at}`);
    }
    if (ended.answer === undefined)
      throw new ProblemError('conflict', 'No call of this run succeeded: there is nothing to learn from it.');
    const { source, inputs, leftOut, notes, questions, replay } = ended.answer;
    const { findings } = await checker.checkWithServers(source, deployedWorkflows);
    return {
      source,
      inputs,
      leftOut,
      notes: [...notes, ...changedSince(run, tools)],
      questions: questions.filter(({ id, options }) => options.length > 1 && answers[id] === undefined),
      replay,
      findings,
    };
  }

  /** The tools of the servers that answer, by `server/tool`. */
  async #toolsOf({ calls }: SeenRun, person: DeployedWorkflows['person']): Promise<ReadonlyMap<string, Tool>> {
    const { catalogueCache } = this.#options;
    const servers = [...new Set(calls.map(({ server }) => server))].filter((server) =>
      catalogueCache.names.includes(server),
    );
    const catalogues = await Promise.all(servers.map((server) => catalogueCache.catalogue(server, undefined, person)));
    return new Map(
      catalogues.flatMap((catalogue, at) =>
        catalogue instanceof FailureError
          ? []
          : catalogue.tools.map((tool): [string, Tool] => [`${servers[at]}/${tool.name}`, tool]),
      ),
    );
  }

  /** Folders and files in the configuration of the servers. */
  #paths(): readonly string[] {
    const { config, root } = this.#options;
    return [...config.servers.values()].flatMap((server) => {
      if (!('args' in server)) return [];
      const { args, cwd = '.' } = server;
      const paths = args.filter((one) => isAbsolute(one) || one.startsWith('.'));
      if (root === undefined) return paths;
      const folder = resolve(root, cwd);
      return [folder, ...paths, ...paths.map((path) => resolve(folder, path))];
    });
  }
}

/** Arguments with an enumeration of values, at any depth of the schema. */
function choicesOf(target: string, schema: unknown, depth = 0): readonly string[] {
  if (!isObject(schema) || depth > depthMax) return [];
  const { properties, items } = schema;
  const members = isObject(properties) ? Object.entries(properties) : [];
  const own = members.flatMap(([name, inner]) => (isChoice(inner) ? [`${target} ${name}`] : []));
  const inside = [...members.map(([, inner]) => inner), items].flatMap((inner) => choicesOf(target, inner, depth + 1));
  return [...own, ...inside];
}

const depthMax = 8;

const isChoice = (schema: unknown): boolean =>
  isObject(schema) && (Array.isArray(schema['enum']) || schema['const'] !== undefined);

/** Tools whose contract has changed since the call: a deployed workflow is checked against the current one. */
function changedSince({ calls }: SeenRun, tools: ReadonlyMap<string, Tool>): Learned['notes'] {
  const changed = calls.filter((call) => isChanged(call, tools));
  return [...new Set(changed.map(targetOf))].map((target) => ({
    step: target,
    note: `look: the definition of ${target} has changed since it was called`,
  }));
}

function isChanged(call: SeenCall, tools: ReadonlyMap<string, Tool>): boolean {
  const now = call.verb === 'tool' ? tools.get(targetOf(call)) : undefined;
  return now !== undefined && call.contract !== undefined && now.digests.contract !== call.contract;
}
