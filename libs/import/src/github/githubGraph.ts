/** What the jobs of a workflow of GitHub Actions need, and which of them run also after a failure. */
import type { JsonObject } from '@baton/primitives';

import { listOf, textOf } from '../json.ts';
import { type GithubJob, isLate as isLateCondition } from './githubSteps.ts';

export interface JobGraph {
  /** In order: those that others need come first. */
  readonly early: readonly GithubJob[];
  /** Those that run also after a failure, and those that need one of them. */
  readonly late: readonly GithubJob[];
  readonly isLate: (job: string) => boolean;
  /** It has a condition, or needs a job that may be skipped. */
  readonly maySkip: (job: string) => boolean;
  /** Two of the early ones do not wait for each other. */
  readonly hasBeside: boolean;
  /** Its own `if` asks how the jobs before it ended. */
  readonly asksForStatus: (job: string) => boolean;
}

export const needsOf = ({ needs }: JsonObject): readonly string[] =>
  typeof needs === 'string' ? [needs] : listOf(needs).flatMap((one) => textOf(one) ?? []);

export function jobGraph(jobs: readonly GithubJob[]): JobGraph {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const isLate = reaching(byName, ({ fields }) => isLateCondition(fields['if']));
  const maySkip = reaching(byName, ({ fields }) => fields['if'] !== undefined);
  const ordered = inOrder(jobs);
  // A single job has nothing beside it: its steps are those of the workflow.
  const isApart = (name: string): boolean => jobs.length > 1 && isLate(name);
  const early = ordered.filter(({ name }) => !isApart(name));
  return {
    early,
    // In order, each one waits for the one before it, or two are beside each other.
    hasBeside: early.some((job, i) => i > 0 && !waitsFor(byName, job, early[i - 1]?.name ?? '')),
    late: ordered.filter(({ name }) => isApart(name)),
    isLate: isApart,
    maySkip,
    asksForStatus: (name) => isLateCondition(byName.get(name)?.fields['if']),
  };
}

const waitsFor = (byName: ReadonlyMap<string, GithubJob>, job: GithubJob, other: string): boolean =>
  reaching(byName, ({ fields }) => needsOf(fields).includes(other))(job.name);

/** Whether a job, or one that it needs directly or through others, passes the test. */
function reaching(
  byName: ReadonlyMap<string, GithubJob>,
  test: (job: GithubJob) => boolean,
): (name: string) => boolean {
  const reachedByName = new Map<string, boolean>();
  const reaches = (name: string): boolean => {
    const before = reachedByName.get(name);
    if (before !== undefined) return before;
    // Jobs that need each other do not run on GitHub either.
    reachedByName.set(name, false);
    const job = byName.get(name);
    const found = job !== undefined && (test(job) || needsOf(job.fields).some(reaches));
    reachedByName.set(name, found);
    return found;
  };
  return reaches;
}

function inOrder(jobs: readonly GithubJob[]): readonly GithubJob[] {
  const ordered: GithubJob[] = [];
  const left = new Set(jobs);
  while (left.size > 0) {
    const ready = [...left].filter(({ fields }) =>
      needsOf(fields).every((name) => ![...left].some((one) => one.name === name)),
    );
    const next = ready.length === 0 ? [...left] : ready;
    ordered.push(...next);
    for (const one of next) left.delete(one);
  }
  return ordered;
}
