/** What expressions of GitHub Actions can read, by their place. */
import type { Json } from '@baton/primitives';

import type { PathPart } from '../expression/celOf.ts';
import type { WrittenPlace } from '../importing.ts';

/** The names that a place of a workflow can read. */
export interface GithubNames {
  /** The step of an id in this job; undefined: there is no such earlier step. */
  readonly step: (id: string) => ImportedStep | undefined;
  /** The CEL of a job that this one needs; undefined: it needs no such job, or the job has no such output. */
  readonly need: (job: string, path: readonly PathPart[]) => string | undefined;
  /** The `env` of workflow, job and step, merged; texts may contain expressions. */
  readonly env: Readonly<Record<string, Json>>;
  readonly events: GithubEvents;
  /** The job of the place; undefined outside of jobs. */
  readonly job: string | undefined;
  readonly isInMatrix: boolean;
  /** The place runs also after a failure: in a `finally`. */
  readonly isLate: boolean;
}

export interface ImportedStep {
  readonly id: string;
  readonly isOptional: boolean;
  /** Its failure is ignored. */
  readonly isIgnored: boolean;
}

/** What starts a workflow, as its expressions can read it. */
export interface GithubEvents {
  /** The name of the workflow. */
  readonly workflow: string;
  /** Events that the webhook receives; the event is the input `event`. */
  readonly hooks: readonly string[];
  /** Something else starts it too, without an event. */
  readonly hasOthers: boolean;
  /** Names of inputs that are no texts. */
  readonly typed: ReadonlySet<string>;
  /** Declares an input that is read and was not declared. */
  readonly takeInput: (name: string) => string;
  /** Declares the input `event_name`, which each trigger gives; its CEL. */
  readonly takeEventName: () => string;
}

/** Names of inputs as expressions can read them. */
export const inputName = (name: string): string => name.replace(/\W/g, '_').replace(/^(?=\d)/, '_');

export function noteToken({ importing, pointer }: WrittenPlace): void {
  const message = 'GitHub makes GITHUB_TOKEN for each run; here it is the stored secret of that name.';
  importing.noteOnce('differs', { pointer, message, hint: 'baton secrets set GITHUB_TOKEN' });
}
