/** Inline workflows: checked and stored like deployed ones, without a name that others could use. */
import { createHash } from 'node:crypto';

import type { Plan } from '@baton/language';
import { NewestMap } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import { type Store, definitionOf, planOf, putDefinition } from '@baton/store';

import type { Checker, DeployedWorkflows } from './checker.ts';
import { type DeployParts, deployedWorkflowsFor } from './deployedWorkflows.ts';
import type { WorkflowText } from './workflowText.ts';

export interface InlineWorkflow {
  readonly workflow: string;
  /** Digest of its definition. */
  readonly definition: string;
  readonly plan: Plan;
}

/** The same text within this time is not checked again. */
const freshMs = 30_000;
const keptMax = 100;

interface CachedInlineWorkflow {
  readonly until: number;
  readonly inline: Promise<InlineWorkflow>;
}

export class InlineWorkflows {
  readonly #store: Store;
  readonly #deployedWorkflows: DeployedWorkflows;
  readonly #checker: Checker;
  readonly #clock: Clock;
  readonly #kept = new NewestMap<string, CachedInlineWorkflow>(keptMax);

  constructor({ store, secrets, checker }: DeployParts, clock: Clock) {
    this.#store = store;
    // Inline workflows have no previous version. Keys with limits may not start them. The answer is kept for every key.
    this.#deployedWorkflows = {
      ...deployedWorkflowsFor({ store, secrets }, { scopes: new Set() }),
      pins: async () => ({}),
    };
    this.#checker = checker;
    this.#clock = clock;
  }

  /** Rejects with `ProblemError` and `UnavailableError`. */
  put(text: WorkflowText, pointer: string): Promise<InlineWorkflow> {
    const key = createHash('sha256').update(`${text.format} ${pointer} ${text.text}`).digest('base64');
    const known = this.#kept.get(key);
    if (known !== undefined && known.until > this.#clock.monotonic()) return known.inline;
    const inline = this.#check(text, pointer);
    this.#kept.set(key, { until: this.#clock.monotonic() + freshMs, inline });
    inline.catch(() => this.#kept.delete(key));
    return inline;
  }

  async #check({ format, text }: WorkflowText, pointer: string): Promise<InlineWorkflow> {
    const { id: workflow, pins } = await this.#checker.deployable(text, this.#deployedWorkflows, pointer);
    const definition = definitionOf(text, format, pins);
    const plan = await planOf(definition);
    await putDefinition(this.#store, definition);
    return { workflow, definition: definition.digest, plan };
  }
}
