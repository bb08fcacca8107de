/**
 * Pins deployed workflows anew when tools have changed in a way that a proof covers (`threads/proveTools.ts`): a new
 * version with the same text and the definitions of now, with an entry in the audit.
 *
 * It looks when a start is refused because of a changed tool, when a server says that its tools changed, and when a
 * worker refused a run. Every orchestrator has one. Two that prove the same, or a person who deploys meanwhile, are
 * told apart by the version that the new one may replace. A run that was requested before keeps its pins.
 */
import { resolve } from '@baton/engine';
import { splitTarget } from '@baton/language';
import { type JsonObject, isObject } from '@baton/primitives';
import { BackgroundTask, type Clock, type TaskTrouble } from '@baton/runner';
import {
  type DeployedPins,
  type DeployedPinsReader,
  type DeployedVersion,
  ReplacedError,
  type WorkflowSummary,
  countDeployedBy,
  getWorkflow,
  getWorkflowVersion,
  newestWith,
  proofAuthor,
  recordedAnswers,
  workflowsRefused,
} from '@baton/store';

import { withBlobs } from '../shapes/withBlobs.ts';
import type { Checker } from './checker.ts';
import { type DeployedWorkflowParts, deployedWorkflowsFor } from './deployedWorkflows.ts';
import { redeploy, withPins } from './redeploy.ts';
import type { SeenAnswer, ToolsProof } from './threads/proveTools.ts';

export interface RepinnerOptions extends DeployedWorkflowParts {
  readonly checker: Pick<Checker, 'prove'>;
  readonly clock: Clock;
  readonly deployedPins: DeployedPinsReader;
  /** Called with what was pinned anew, for the log. */
  readonly onRepinned: (workflow: string, version: number, changes: readonly string[]) => void;
  readonly onTrouble: TaskTrouble;
}

/** What became of a workflow whose tools have changed. */
export type RepinOutcome =
  | { readonly kind: 'pinned'; readonly version: number }
  /** Sentences. */
  | { readonly kind: 'unproven'; readonly why: readonly string[] }
  /** No tool has changed, or a newer version is there. */
  | { readonly kind: 'nothing' };

/** What a start that changed tools block learns. */
export interface ProofAnswer {
  /** The workflow has a newer version, which a proof or a person made meanwhile. */
  readonly isPinnedAnew: boolean;
  /** Why it cannot go on, in sentences; none: a proof does not decide about these changes. */
  readonly why: readonly string[];
}

/** The runs whose answers are compared. */
const runsMax = 50;
/** Characters of the answers that are compared, of all tools: a thread has 256 MiB. */
const charactersMax = 8 * 1024 * 1024;
/** How often a workflow is pinned anew within a day: a server may list another schema each minute. */
const perDayMax = 24;
const dayMs = 24 * 3_600_000;
/** Between two looks at runs that were refused, and at servers whose tools changed. */
const everyMs = 30_000;
/** Looks overlap: a run whose end was recorded late is seen by the next one. */
const overlapMs = 60_000;
const shownMax = 5;

const everything = { scopes: new Set(['admin']) } as const;

export class Repinner {
  readonly #options: RepinnerOptions;
  readonly #task: BackgroundTask;
  /** Proofs under way, by workflow: starts at the same time share one. */
  readonly #underWay = new Map<string, Promise<RepinOutcome>>();
  /** Servers whose tools changed since the last look. */
  readonly #changed = new Set<string>();
  #refusedSince: number;

  constructor(options: RepinnerOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#refusedSince = clock.now();
    this.#task = new BackgroundTask({ name: 'proofs of changed tools', clock, run: () => this.#look(), onTrouble });
  }

  start(): void {
    this.#task.start(everyMs);
  }

  /** Resolves when the look in progress has ended. */
  close(): Promise<void> {
    return this.#task.close();
  }

  /** The tools of the server have changed: workflows that use them are looked at within half a minute. */
  changed(server: string): void {
    this.#changed.add(server);
  }

  /** Tries to pin the workflows anew whose newest version has this definition. Rejects with `UnavailableError`. */
  async prove(definition: string): Promise<ProofAnswer> {
    const { store } = this.#options;
    const workflows = await newestWith(store, definition);
    const outcomes = await Promise.all(workflows.map((workflow) => this.repin(workflow)));
    const [why = []] = outcomes.flatMap((one) => (one.kind === 'unproven' ? [one.why] : []));
    const isPinned = outcomes.some(({ kind }) => kind === 'pinned');
    const isPinnedAnew = isPinned || (await newestWith(store, definition)).length < workflows.length;
    return { isPinnedAnew, why };
  }

  /** Rejects with `UnavailableError`, and with `ProblemError` if too many checks wait. */
  repin(workflow: string): Promise<RepinOutcome> {
    const underWay = this.#underWay.get(workflow) ?? this.#repin(workflow);
    this.#underWay.set(workflow, underWay);
    return underWay.finally(() => this.#underWay.delete(workflow));
  }

  async #repin(workflow: string): Promise<RepinOutcome> {
    const { store, clock } = this.#options;
    const newest = await getWorkflow(store, workflow);
    const found = newest && (await getWorkflowVersion(store, workflow, newest.version));
    if (newest === undefined || found === undefined) return { kind: 'nothing' };
    const proof = await this.#proof(found);
    if (proof === undefined) return { kind: 'nothing' };
    if ('why' in proof) return { kind: 'unproven', why: proof.why };
    const since = clock.now() - dayMs;
    if ((await countDeployedBy(store, { workflow, by: proofAuthor, since })) >= perDayMax) {
      const why = `Its tools were pinned anew ${perDayMax} times within a day: a person decides about the next change.`;
      return { kind: 'unproven', why: [why] };
    }
    return this.#deploy(newest, found, proof);
  }

  /** Undefined: no tool has changed. */
  async #proof(found: DeployedVersion): Promise<ToolsProof | { readonly why: readonly string[] } | undefined> {
    const { checker } = this.#options;
    const { workflow, definition } = found;
    const deployed = { ...deployedWorkflowsFor(this.#options, everything), pins: async () => definition.pins };
    const proof = await checker.prove(definition.source, deployed, (tools) => this.#answers(workflow, tools));
    if (proof === undefined) return undefined;
    if (proof === 'given-up') return { why: ['The proof took too long or too much memory, and was stopped.'] };
    if (proof.unproven.length === 0) return proof;
    const why = proof.unproven
      .slice(0, shownMax)
      .map(({ path, line, message }) => (path === '' ? message : `Line ${line} (${path}): ${message}`));
    return { why };
  }

  async #deploy(
    { title, description }: WorkflowSummary,
    { workflow, version, definition, findings }: DeployedVersion,
    { pins, changes, answers, schedules }: ToolsProof,
  ): Promise<RepinOutcome> {
    const { store, onRepinned } = this.#options;
    const renewed = withPins(definition, pins);
    const tools = Object.entries(pins).flatMap(([tool, { contract }]) => {
      const before = definition.pins[tool]?.contract;
      return before === contract ? [] : [[tool, { before: before ?? null, now: contract ?? null }]];
    });
    const repinned: JsonObject = {
      workflow,
      before: definition.digest,
      now: renewed.digest,
      tools: Object.fromEntries(tools) as JsonObject,
      changes,
      answers,
    };
    const about = { workflow, replaced: version, title, description, definition: renewed };
    try {
      const deployed = await redeploy(store, { ...about, findings, schedules, by: proofAuthor, repinned });
      if (deployed.isNew) onRepinned(workflow, deployed.version, changes);
      return { kind: 'pinned', version: deployed.version };
    } catch (error) {
      if (error instanceof ReplacedError) return { kind: 'nothing' };
      throw error;
    }
  }

  /** The newest of each tool, of what is left of them: retention may have removed some. */
  async #answers(workflow: string, tools: readonly string[]): Promise<readonly SeenAnswer[]> {
    const { store } = this.#options;
    const answers: SeenAnswer[] = [];
    for await (const ofTool of recordedAnswers(store, { workflow, tools }, runsMax)) {
      let characters = 0;
      for (const { result, ...place } of ofTool) {
        const value = await withBlobs(store.blobs, (blobs) => resolve(result, blobs));
        if (!isObject(value)) continue;
        const isNewest = characters === 0;
        characters += JSON.stringify(value).length;
        const isTooMuch = characters > charactersMax / tools.length;
        // Where the newest one is left out, nothing is known of the tool: its proof says so.
        if (!isTooMuch || isNewest) answers.push({ ...place, result: isTooMuch ? undefined : value });
        if (isTooMuch) break;
      }
    }
    return answers;
  }

  async #look(): Promise<number> {
    const { store, clock } = this.#options;
    const now = clock.now();
    const changed = new Set(this.#changed);
    this.#changed.clear();
    let isDone = false;
    try {
      const workflows = new Set(await workflowsRefused(store, this.#refusedSince));
      for (const workflow of changed.size === 0 ? [] : await this.#users(changed)) workflows.add(workflow);
      for (const workflow of workflows) {
        if (this.#task.isClosed) break;
        await this.#task.tryRow(workflow, () => this.repin(workflow));
      }
      isDone = true;
    } finally {
      if (!isDone) for (const server of changed) this.#changed.add(server);
    }
    this.#refusedSince = now - overlapMs;
    return everyMs;
  }

  /** The workflows that use tools of these servers. */
  async #users(servers: ReadonlySet<string>): Promise<readonly string[]> {
    const isUser = ({ pins }: DeployedPins): boolean =>
      Object.keys(pins).some((tool) => servers.has(splitTarget(tool)[0]));
    return (await this.#options.deployedPins()).filter(isUser).map(({ workflow }) => workflow);
  }
}
