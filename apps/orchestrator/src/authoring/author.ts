/**
 * The operations of the authoring tools. They have no rules of their own: the checker, the engine and the store decide.
 */
import { ProblemError } from '@baton/api';
import {
  checkScopes,
  onWorkflow,
  type CatalogueCache,
  control,
  type DeployParts,
  checkMaySee,
  deployedWorkflowsFor,
  type CheckThreads,
  type Principal,
  withBlobs,
  plannedCalls,
  type Corrections,
  findingPlace,
  explainRun,
  reachesServer,
  type WorkflowLearner,
  type Trial,
  type TrialOptions,
} from '@baton/control';
import type { RunEvent } from '@baton/engine';
import type { Finding } from '@baton/language';
import { type SeenRun, seenRun } from '@baton/learn';
import { type JsonObject, defined } from '@baton/primitives';
import type { ServersConfig } from '@baton/protocol';
import type { Clock, Journal } from '@baton/runner';
import { type Definition, definitionOf, getDefinition, listRuns, planOf } from '@baton/store';

import { findTools, oneLine } from '../tools/findTools.ts';
import { offersOf } from '../tools/serverOffers.ts';
import { annotateSource, lineOfFailure } from './annotateSource.ts';
import { type Draft, type GivenDeployment, deployDraft } from './deployDraft.ts';
import { describeTool, nameOf } from './describeTool.ts';
import {
  nextAfterCheck,
  nextAfterFailure,
  nextAfterLearning,
  nextAfterReplay,
  nextAfterTrial,
  nextAtPlace,
} from './nextSteps.ts';

export interface AuthorOptions extends DeployParts {
  readonly journal: Journal;
  readonly clock: Clock;
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

interface CheckedDraft extends Draft {
  readonly definition: Definition;
}

export interface TryOrder {
  readonly source: string;
  readonly inputs: JsonObject;
  readonly answers: JsonObject;
  /** What earlier runs have left of the state. */
  readonly state?: JsonObject | undefined;
  /** Answers, inputs and state are those of this run. */
  readonly run?: string | undefined;
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
    const asked = { text: source, asksServers: true, corrects: true };
    const checked = await control.checkWorkflow(this.#options, this.#asked.principal, asked);
    const { findings, report, corrections } = checked;
    const shown = findings.map((finding) => shownFinding(finding, corrections));
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    const calls =
      errors === 0
        ? plannedCalls((await this.#planned(source)).plan)
        : (report?.calls ?? []).map(({ target, effect }) => ({ target, effect: effect?.effect }));
    const fixed = corrections === undefined || corrections.text === source ? undefined : corrections.text;
    const next = nextAfterCheck(errors, fixed !== undefined);
    return { ok: errors === 0, findings: shown, calls, ...defined({ fixed }), next };
  }

  async tryWorkflow({ source, inputs, answers, state, run }: TryOrder): Promise<object> {
    await this.#asked.count();
    const checked = await this.#planned(source);
    const seen = run === undefined ? undefined : await this.#seen(run);
    const given = { ...seen?.inputs, ...inputs };
    const recorded = seen?.calls ?? [];
    const found = { ...seen?.state, ...state };
    const options = { inputs: given, answers, state: found, recorded, outputSchemas: await this.#outputSchemas() };
    const trial = await this.#tried(checked.definition, options);
    return { ...trial, next: nextAfterTrial(trial) };
  }

  async deploy({ source, ...given }: GivenDeployment & { readonly source: string }): Promise<object> {
    await this.#asked.count();
    const { principal } = this.#asked;
    const checked = await this.#planned(source);
    // Before anything is said of the versions that there are.
    checkMaySee(principal, [checked.id]);
    return deployDraft(this.#options, principal, checked, given);
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
    this.#checkMayRepair(found.workflow);
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
    const order = { id, name, answers };
    const { findings, ...learned } = await control.learnFromRun(this.#options, this.#asked.principal, order);
    const wrong = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
    const next = nextAfterLearning(learned, wrong.length > 0);
    return { ...learned, ...(wrong.length === 0 ? {} : { errors: wrong }), next };
  }

  /** The source of a run is shown to who writes that workflow, and sees its values. Throws `ProblemError`. */
  #checkMayRepair(workflow: string): void {
    const acting = onWorkflow(this.#asked.principal, workflow);
    checkScopes(acting, ['workflows:write']);
    if (acting.hidesValues === true)
      throw new ProblemError('forbidden', 'This shows values of runs: it needs a role with the scope runs:values.');
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
        const options = {
          inputs: seen.inputs,
          answers: {},
          state: seen.state,
          recorded: seen.calls,
          outputSchemas: schemas,
        };
        const trial = await this.#tried(definition, options);
        return {
          run: one,
          before,
          now: trial.status,
          ...defined({ error: trial.error }),
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
    return deployedWorkflowsFor(this.#options, this.#asked.principal);
  }

  /** Rejects with a `ProblemError` that has every finding, if the text has an error. */
  async #planned(source: string): Promise<CheckedDraft> {
    const { id, pins, findings, schedules } = await this.#options.checker.deployable(source, this.#deployedWorkflows());
    const format = source.trimStart().startsWith('{') ? 'json' : 'yaml';
    const definition = definitionOf(source, format, pins);
    return { id, source, definition, plan: await planOf(definition), schedules, warnings: findings };
  }

  #offers() {
    const { catalogueCache } = this.#options;
    const names = catalogueCache.namesFor((allow) => reachesServer(this.#asked.principal, allow));
    return offersOf(this.#options, names, {});
  }

  async #outputSchemas(): Promise<ReadonlyMap<string, JsonObject>> {
    const { tools } = await this.#offers();
    return new Map(
      tools.flatMap((one) =>
        one.tool.outputSchema === undefined ? [] : [[nameOf(one), one.tool.outputSchema as JsonObject]],
      ),
    );
  }

  async #seen(id: string): Promise<SeenRun & { readonly state: JsonObject }> {
    const events = await this.#asked.eventsOf(id);
    const read = events.findLast((event) => event.type === 'state.read');
    const seen = await withBlobs(this.#options.store.blobs, (blobs) => seenRun(events, blobs));
    return { ...seen, state: read?.values ?? {} };
  }
}

/** Characters: the keys of a step. */
const expectedMax = 400;

function shownFinding(finding: Finding, corrections: Corrections | undefined): object {
  const { code, severity, message, line, column, hint, expected } = finding;
  const fix = corrections?.titles.get(findingPlace(finding)) ?? hint;
  const instead = fix ?? (expected === undefined ? undefined : `expected: ${expected.slice(0, expectedMax)}`);
  return { code, severity, line, column, message, ...defined({ fix: instead }) };
}
