/** Checks whether a workflow can be deployed: its text, and its calls against the servers. */
import { type ProblemDetail, ProblemError } from '@baton/api';
import type { FailureError, RunPerson } from '@baton/engine';
import { type Finding, type SecretBinding, givenUp } from '@baton/language';
import { defined } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import type { Pins } from '@baton/store';

import type { CatalogueCache, Patience } from './catalogueCache.ts';
import { type Corrections, noCorrections } from './corrections.ts';
import type { CheckAnswer, DeployableParts, CheckContext } from './threads/checkTask.ts';
import type { CheckThreads } from './threads/checkThreads.ts';
import { type SeenAnswer, type ToolsProof, provableDrifts } from './threads/proveTools.ts';

/** What a client may know when it checks a workflow. */
export interface DeployedWorkflows {
  /** Whose logins show what servers offer. Undefined: those of the installation. */
  readonly person: RunPerson | undefined;
  /** Texts of deployed workflows, by `id` and `id@version`. */
  texts(workflows: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** All stored secrets, by name, with their bindings. */
  /** Of the secrets that exist for a text of that name. */
  secrets(workflow: string): Promise<ReadonlyMap<string, SecretBinding>>;
  /** Names of the secrets that other deployed workflows sign webhooks with, and give to tools. */
  secretUses(workflow: string): Promise<Required<Pick<CheckContext, 'hookSecrets' | 'toolSecrets'>>>;
  /** Why a server could not be asked, in words that the client may read. */
  reason(failure: FailureError): string;
  /** Whether a server with this `allow` exists for the client and the workflow. */
  serves(allow: readonly string[] | undefined, workflow: string): boolean;
  /** The pins of the newest version of a workflow. */
  pins(workflow: string): Promise<Pins>;
  /** What earlier runs have left of its state. */
  state(workflow: string): Promise<NonNullable<CheckContext['storedState']>>;
}

export interface DeployableWorkflow extends DeployableParts {
  /** Warnings. */
  readonly findings: readonly Finding[];
}

/** After more schemas that take too long, the whole check fails. */
const sparedMax = 2;

/**
 * How long a deployment waits for a server: as long as opening it may take. A version keeps what it took on trust: the
 * tools of a server that was still starting would count as writes until the next deployment.
 */
const deploymentPatience: Patience = { forMs: 15_000 };

export class Checker {
  readonly #threads: CheckThreads;
  readonly #catalogueCache: CatalogueCache;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(threads: CheckThreads, catalogueCache: CatalogueCache, clock: Pick<Clock, 'now'>) {
    this.#threads = threads;
    this.#catalogueCache = catalogueCache;
    this.#clock = clock;
  }

  /** Also asks the servers that the workflow names. Does not judge calls to a server that does not answer in time. */
  async checkWithServers(
    text: string,
    deployedWorkflows: DeployedWorkflows,
    patience?: Patience,
  ): Promise<CheckAnswer> {
    const read = await this.#contextOf(text, deployedWorkflows, patience);
    return read === 'given-up' ? gaveUp(text, undefined) : this.checkText(text, read);
  }

  /** As `checkWithServers`, and suggests corrections; none if finding them takes too long. */
  async checkWithCorrections(
    text: string,
    deployedWorkflows: DeployedWorkflows,
  ): Promise<CheckAnswer & { readonly corrections: Corrections }> {
    const read = await this.#contextOf(text, deployedWorkflows);
    if (read === 'given-up') return { ...gaveUp(text, undefined), corrections: noCorrections(text) };
    const answer = await this.checkText(text, read);
    if (answer.findings.length === 0) return { ...answer, corrections: noCorrections(text) };
    const ended = await this.#threads.run({ kind: 'correct', text, ...defined({ known: read }) });
    return { ...answer, corrections: ended.kind === 'answered' ? ended.answer : noCorrections(text) };
  }

  /** The context to check the workflow against. Undefined: the text cannot be read as a workflow. */
  async #contextOf(
    text: string,
    deployedWorkflows: DeployedWorkflows,
    patience?: Patience,
  ): Promise<CheckContext | undefined | 'given-up'> {
    // Asks servers even if the text has other mistakes, so that one answer reports everything.
    const read = await this.#threads.run({ kind: 'outline', text });
    if (read.kind === 'given-up') return 'given-up';
    if (read.answer === undefined) return undefined;
    const { workflow, servers, children } = read.answer;
    const reason = (failure: FailureError): string => deployedWorkflows.reason(failure);
    const catalogues = this.#catalogueCache;
    const known = catalogues.namesFor((allow) => deployedWorkflows.serves(allow, workflow));
    const named = new Set(servers.filter((name) => known.includes(name)));
    const asked = await catalogues.ask(named, reason, patience, deployedWorkflows.person);
    const before = await deployedWorkflows.pins(workflow);
    const unasked = known.filter((name) => !asked.has(name));
    return {
      nowMs: this.#clock.now(),
      asked,
      unasked,
      before,
      deployed: await deployedWorkflows.texts(children),
      ...(text.includes('state') && { storedState: await deployedWorkflows.state(workflow) }),
      // Most workflows use no secrets.
      ...(text.includes('secret') && {
        secrets: await deployedWorkflows.secrets(workflow),
        ...(await deployedWorkflows.secretUses(workflow)),
      }),
    };
  }

  /** Checks without servers. A check that takes too long is skipped and reported. */
  async checkText(text: string, known?: CheckContext): Promise<CheckAnswer> {
    const spared: string[] = [];
    for (;;) {
      const ended = await this.#threads.run({ kind: 'check', text, spared, ...defined({ known }) });
      if (ended.kind === 'answered') return ended.answer;
      const { at } = ended;
      if (at === undefined || spared.includes(at) || spared.length === sparedMax) return gaveUp(text, at);
      spared.push(at);
    }
  }

  /**
   * Whether the deployed workflow can go on with tools that have changed; undefined where none has that a proof can
   * decide about. `answersOf`: how the tools, by `server/tool`, answered in runs of the workflow.
   */
  async prove(
    text: string,
    deployedWorkflows: DeployedWorkflows,
    answersOf: (tools: readonly string[]) => Promise<readonly SeenAnswer[]>,
  ): Promise<ToolsProof | 'given-up' | undefined> {
    const known = await this.#contextOf(text, deployedWorkflows);
    if (known === undefined || known === 'given-up') return known;
    const drifts = provableDrifts(known.before, known.asked);
    if (drifts.length === 0) return undefined;
    const answers = await answersOf(drifts.map(({ tool }) => tool));
    const ended = await this.#threads.run({ kind: 'prove', text, known, answers });
    return ended.kind === 'answered' ? ended.answer : 'given-up';
  }

  /**
   * Throws a `ProblemError` with every finding if one of them is an error. `pointer`: where the text is in the body.
   */
  async deployable(text: string, deployedWorkflows: DeployedWorkflows, pointer?: string): Promise<DeployableWorkflow> {
    const { workflow, findings } = await this.checkWithServers(text, deployedWorkflows, deploymentPatience);
    if (workflow === undefined) throw invalidWorkflow(findings, pointer);
    return { ...workflow, findings };
  }
}

function gaveUp(text: string, at: string | undefined): CheckAnswer {
  const where = at === undefined ? '' : `; it was at the schema of ${JSON.stringify(at.slice(0, 80))}`;
  const findings = givenUp(text, `The check of this file took too long or too much memory, and was stopped${where}.`);
  return { findings, report: undefined, workflow: undefined };
}

const isError = ({ severity }: Finding): boolean => severity === 'error';

function invalidWorkflow(findings: readonly Finding[], pointer = ''): ProblemError {
  const errors = findings.filter(isError);
  const count = errors.length;
  const first = errors.at(0);
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  return new ProblemError('workflow-invalid', `${first?.message ?? 'The workflow has errors.'}${more}`, {
    errors: findings.map(({ path, file: _file, ...rest }): ProblemDetail => ({
      pointer: `${pointer}${path}`,
      ...rest,
    })),
  });
}
