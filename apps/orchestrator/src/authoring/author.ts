/**
 * The operations of the authoring tools. They have no rules of their own: the checker, the engine and the store decide.
 */
import { ProblemError, scheduleChangeText } from '@baton/api';
import type { RunEvent } from '@baton/engine';
import type { Finding, JsonObject, Plan } from '@baton/language';
import { compileTriggers, parseWorkflow } from '@baton/language';
import type { SeenRun } from '@baton/learn';
import { seenRun } from '@baton/learn';
import type { ServersConfig } from '@baton/protocol';
import type { Definition, Store, Vault } from '@baton/store';
import {
  definitionOf,
  getDefinition,
  getWorkflow,
  getWorkflowVersion,
  listRuns,
  planOf,
  previewSchedules,
  ReplacedError,
} from '@baton/store';

import type { CatalogueCache } from '../deploy/catalogueCache.ts';
import type { Checker } from '../deploy/checker.ts';
import { checkMaySee, deploy } from '../deploy/deploy.ts';
import { deployedWorkflowsFor } from '../deploy/deployedWorkflows.ts';
import type { CheckThreads } from '../deploy/threads/checkThreads.ts';
import { findTools, oneLine } from '../gateway/findTools.ts';
import { offersOf } from '../gateway/serverOffers.ts';
import type { Principal } from '../keys/scopes.ts';
import type { ScheduleParts } from '../schedules/placedTriggers.ts';
import { placedTriggers } from '../schedules/placedTriggers.ts';
import { withBlobs } from '../shapes/withBlobs.ts';
import { annotateSource, lineOfFailure } from './annotateSource.ts';
import type { DeploymentConsequences } from './consequences.ts';
import { consequencesDigest, plannedCalls } from './consequences.ts';
import type { Corrections } from './corrections.ts';
import { findingPlace } from './corrections.ts';
import { describeTool, nameOf } from './describeTool.ts';
import { explainRun } from './explainRun.ts';
import type { WorkflowLearner } from './learning.ts';
import {
  nextAfterCheck,
  nextAfterDeploy,
  nextAfterFailure,
  nextAfterLearning,
  nextAfterReplay,
  nextAfterTrial,
  nextAtPlace,
} from './nextSteps.ts';
import type { Trial, TrialOptions } from './trial.ts';

export interface AuthorOptions {
  readonly store: Store;
  readonly vault: Vault;
  readonly checker: Checker;
  readonly config: ServersConfig;
  readonly catalogueCache: CatalogueCache;
  readonly learning: WorkflowLearner;
  readonly threads: CheckThreads;
}

export interface AuthorRequest {
  readonly principal: Principal;
  /** Counts a check towards the key's checks per minute. Rejects with `ProblemError`. */
  readonly count: () => Promise<void>;
  /** Reads the journal of a run that the key may see. Rejects with `ProblemError`. */
  readonly eventsOf: (id: string) => Promise<readonly RunEvent[]>;
}

const otherRuns = 5;

interface CheckedDraft {
  readonly plan: Plan;
  readonly definition: Definition;
  readonly id: string;
  readonly schedules: readonly ScheduleParts[];
  readonly warnings: readonly Finding[];
}

/** A text that was edited from another version than the newest. */
interface StaleDraft {
  readonly id: string;
  readonly source: string;
  readonly given: number | undefined;
  readonly newest: number;
}

export class Author {
  readonly #options: AuthorOptions;
  readonly #asked: AuthorRequest;

  constructor(options: AuthorOptions, asked: AuthorRequest) {
    this.#options = options;
    this.#asked = asked;
  }

  async findTools({
    query,
    name,
    limit,
  }: {
    query: string;
    name?: string | undefined;
    limit: number;
  }): Promise<object> {
    const { tools, away } = await this.#offers();
    if (name !== undefined) return describeTool(tools, name);
    const found = findTools(tools, query, limit).map((one) => ({
      name: nameOf(one),
      does: oneLine(one.tool),
      effect: one.effect.effect,
    }));
    const next =
      found.length === 0
        ? 'No tool fits these words: try others, or an empty query.'
        : 'find_tools with `name` shows how one of them is called.';
    return { tools: found, ...(away.size === 0 ? {} : { unreachable: [...away.keys()] }), next };
  }

  async check(source: string): Promise<object> {
    await this.#asked.count();
    const { findings, report, corrections } = await this.#options.checker.checkWithCorrections(
      source,
      this.#deployedWorkflows(),
    );
    const shown = findings.map((finding) => shownFinding(finding, corrections));
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    const calls =
      errors === 0
        ? plannedCalls((await this.#planned(source)).plan)
        : (report?.calls ?? []).map(({ target, effect }) => ({ target, effect: effect?.effect }));
    const fixed = corrections.text === source ? {} : { fixed: corrections.text };
    const next = nextAfterCheck(errors, corrections.text !== source);
    return { ok: errors === 0, findings: shown, calls, ...fixed, next };
  }

  async tryWorkflow({
    source,
    inputs,
    answers,
    run,
  }: {
    source: string;
    inputs: JsonObject;
    answers: JsonObject;
    run?: string | undefined;
  }): Promise<object> {
    await this.#asked.count();
    const checked = await this.#planned(source);
    const seen = run === undefined ? undefined : await this.#seen(run);
    const given = { ...seen?.inputs, ...inputs };
    const recorded = seen?.calls ?? [];
    const options = { inputs: given, answers, recorded, outputSchemas: await this.#outputSchemas() };
    const trial = await this.#tried(checked.definition, options);
    return { ...trial, next: nextAfterTrial(trial) };
  }

  async deploy({
    source,
    version,
    confirm,
  }: {
    source: string;
    version?: number | undefined;
    confirm?: string | undefined;
  }): Promise<object> {
    await this.#asked.count();
    const { principal } = this.#asked;
    const { plan, id, schedules, warnings } = await this.#planned(source);
    // Before anything is said of the versions that there are.
    checkMaySee(principal, [id]);
    const newest = (await getWorkflow(this.#options.store, id))?.version ?? 0;
    if ((version ?? 0) !== newest) return this.#stale({ id, source, given: version, newest });
    const arming: DeploymentConsequences = {
      workflow: id,
      replaces: newest,
      calls: plannedCalls(plan),
      triggers: triggersOf(source),
      schedules: await this.#scheduleChanges(id, schedules),
      runsUnderWay: await this.#underWay(id),
    };
    const digest = consequencesDigest(arming, source);
    if (confirm !== digest) {
      const isOther = confirm !== undefined;
      const next = `${isOther ? 'What it would arm is not what was confirmed. ' : ''}Nothing is deployed yet. Look at what it would arm; to deploy it, call deploy_workflow again with "confirm": "${digest}".`;
      return { armed: false, would: arming, warnings: warnings.map(warningText), digest, next };
    }
    const mayReplace = (now: number | undefined): boolean => (now ?? 0) === newest;
    const format = source.trimStart().startsWith('{') ? 'json' : 'yaml';
    const deployed = await deploy(this.#options, { format, text: source }, principal, mayReplace).catch(
      (error: unknown) => {
        if (error instanceof ReplacedError)
          return this.#stale({ id, source, given: newest, newest: error.newest ?? 0 });
        throw error;
      },
    );
    if (!('version' in deployed)) return deployed;
    const { version: armed } = deployed;
    const changed = deployed.schedules.flatMap((one) => scheduleChangeText(one) ?? []);
    const shown = { armed: true, workflow: id, version: armed, schedules: changed };
    return { ...shown, next: nextAfterDeploy(id, armed, arming.triggers) };
  }

  /** The answer if another version was deployed since the author's. */
  async #stale({ id, source, given, newest }: StaleDraft): Promise<object> {
    if (newest === 0) return { armed: false, newest, next: `There is no workflow ${id} yet: hand back "version": 0.` };
    const now = await getWorkflowVersion(this.#options.store, id, newest);
    if (now?.definition.source === source) {
      const same = `Version ${newest} of ${id} is this text already. To deploy it again, hand back "version": ${newest}.`;
      return { armed: false, newest, next: same };
    }
    const from = given === undefined ? 'no version that it names' : `version ${given}`;
    const next = `Version ${newest} of ${id} is the newest, and this text was edited from ${from}. Bring the edits together with \`source\`, and hand back "version": ${newest}.`;
    return { armed: false, newest, source: now?.definition.source, next };
  }

  async explain(id: string): Promise<object> {
    const found = explainRun(id, await this.#asked.eventsOf(id));
    const next =
      found.error === undefined || found.error.code === 'cancelled'
        ? 'get_run shows its steps and outputs.'
        : 'repair_workflow shows the place in the source.';
    return { ...found, next };
  }

  async repair({ id, source }: { id: string; source?: string | undefined }): Promise<object> {
    const events = await this.#asked.eventsOf(id);
    const found = explainRun(id, events);
    if (source !== undefined) return this.#repaired(found.workflow, id, source);
    const first = events[0];
    const definition =
      first?.type === 'run.requested' ? await getDefinition(this.#options.store, first.definition) : undefined;
    if (definition === undefined) throw new ProblemError('not-found', 'The source of this run is not kept.');
    const line = lineOfFailure(definition.source, await planOf(definition), events, found);
    return line === undefined || found.error === undefined
      ? { ...found, source: definition.source, next: nextAfterFailure(found) }
      : { ...found, source: annotateSource(definition.source, line, found), line, next: nextAtPlace };
  }

  async learn({
    id,
    name,
    answers,
  }: {
    id: string;
    name?: string | undefined;
    answers: Readonly<Record<string, number>>;
  }): Promise<object> {
    await this.#asked.count();
    const { findings, ...learned } = await this.#options.learning.learn(
      await this.#seen(id),
      { name, answers },
      this.#deployedWorkflows(),
    );
    const wrong = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
    const next = nextAfterLearning(learned, wrong.length > 0);
    return { ...learned, ...(wrong.length === 0 ? {} : { errors: wrong }), next };
  }

  /** Replays recorded runs with the corrected source. */
  async #repaired(workflow: string, id: string, source: string): Promise<object> {
    await this.#asked.count();
    const { definition } = await this.#planned(source);
    const schemas = await this.#outputSchemas();
    const { runs } = await listRuns(this.#options.store, { workflow }, { limit: otherRuns + 1 });
    const ids = [id, ...runs.map((run) => run.id).filter((one) => one !== id)].slice(0, otherRuns + 1);
    const tried = await Promise.all(
      ids.map(async (one) => {
        const events = await this.#asked.eventsOf(one);
        const seen = await this.#seen(one);
        const last = events.at(-1);
        const before = last?.type === 'run.finished' ? last.status : 'unfinished';
        const options = { inputs: seen.inputs, answers: {}, recorded: seen.calls, outputSchemas: schemas };
        const trial = await this.#tried(definition, options);
        return {
          run: one,
          before,
          now: trial.status,
          ...(trial.error === undefined ? {} : { error: trial.error }),
          invented: trial.invented,
        };
      }),
    );
    const next = nextAfterReplay(tried[0]);
    return { runs: tried, next };
  }

  /** Runs the trial in a thread, because nested loops can take long. Rejects with `ProblemError`. */
  async #tried(definition: Definition, options: TrialOptions): Promise<Trial> {
    const ended = await this.#options.threads.run({ kind: 'try', definition, options });
    if (ended.kind === 'answered') return ended.answer;
    throw new ProblemError(
      'conflict',
      'The trial took too much time or memory, and was stopped. Try it with inputs and answers that are smaller.',
    );
  }

  #deployedWorkflows() {
    return deployedWorkflowsFor(this.#options.store, this.#asked.principal);
  }

  /** Rejects with a `ProblemError` that has every finding, if the text has an error. */
  async #planned(source: string): Promise<CheckedDraft> {
    const { id, pins, findings, schedules } = await this.#options.checker.deployable(source, this.#deployedWorkflows());
    const format = source.trimStart().startsWith('{') ? 'json' : 'yaml';
    const definition = definitionOf(source, format, pins);
    return { id, definition, plan: await planOf(definition), schedules, warnings: findings };
  }

  #offers() {
    const { catalogueCache } = this.#options;
    return offersOf(this.#options, catalogueCache.names, {});
  }

  async #outputSchemas(): Promise<ReadonlyMap<string, JsonObject>> {
    const { tools } = await this.#offers();
    return new Map(
      tools.flatMap((one) =>
        one.tool.outputSchema === undefined ? [] : [[nameOf(one), one.tool.outputSchema as JsonObject]],
      ),
    );
  }

  async #seen(id: string): Promise<SeenRun> {
    const events = await this.#asked.eventsOf(id);
    return withBlobs(this.#options.store.blobs, (blobs) => seenRun(events, blobs));
  }

  /** In words, of those that a deployment would change, and of those that are paused. */
  async #scheduleChanges(workflow: string, parts: readonly ScheduleParts[]): Promise<readonly string[]> {
    const { store } = this.#options;
    const changes = await previewSchedules(store, workflow, placedTriggers(parts, store.now()));
    return changes.flatMap((one) => scheduleChangeText(one) ?? []);
  }

  async #underWay(workflow: string): Promise<number> {
    const statuses = ['queued', 'running', 'waiting'] as const;
    const { runs } = await listRuns(this.#options.store, { workflow, statuses }, { limit: 100 });
    return runs.length;
  }
}

const warningText = ({ message, line, hint }: Finding): string =>
  `Line ${line}: ${message}${hint === undefined ? '' : ` Correction: ${hint}.`}`;

/** Characters: the keys of a step. */
const expectedMax = 400;

function shownFinding(finding: Finding, { titles }: Corrections): object {
  const { code, severity, message, line, column, hint, expected } = finding;
  const fix = titles.get(findingPlace(finding)) ?? hint;
  const instead = fix ?? (expected === undefined ? undefined : `expected: ${expected.slice(0, expectedMax)}`);
  return { code, severity, line, column, message, ...(instead === undefined ? {} : { fix: instead }) };
}

function triggersOf(source: string): readonly string[] {
  const { workflow } = parseWorkflow(source);
  if (workflow === undefined) return [];
  return compileTriggers(workflow).map((one) => {
    switch (one.kind) {
      case 'schedule':
        return `schedule ${one.cron} (${one.timezone})`;
      case 'webhook':
        return `webhook POST /v1/hooks/${workflow.workflow}/${one.name}, signed with the secret ${one.secret}`;
      case 'resource':
        return `changes of ${one.uri} of ${one.server}`;
      case 'tool':
        return 'MCP clients, as a tool';
      case 'device':
        return 'devices';
    }
  });
}
