/** Lets an author work on a task: it hands in a text, is told what the checker finds, and hands in another. */
import { type Judged, judgeAttempt } from './judgeAttempt.ts';
import type { AuthoringTask } from './task.ts';

export interface Attempt {
  readonly source: string;
  readonly tokens: number;
}

/** `told`: what the checker said of the attempts before, the last at the end. Undefined: the author gives up. */
export type TaskAuthor = (
  task: AuthoringTask,
  told: readonly Pick<Judged, 'findings'>[],
) => Promise<Attempt | undefined>;

export interface TaskResult {
  readonly task: string;
  readonly isRight: boolean;
  /** Texts that were handed in. */
  readonly rounds: number;
  readonly tokens: number;
  readonly why: readonly string[];
}

const roundsMax = 5;

/** Ends where the checker has nothing more to say: only it is asked, and not the hidden cases. */
export async function work(author: TaskAuthor, task: AuthoringTask): Promise<TaskResult> {
  const told: Judged[] = [];
  let tokens = 0;
  while (told.length < roundsMax) {
    const attempt = await author(task, told);
    if (attempt === undefined) break;
    tokens += attempt.tokens;
    told.push(judgeAttempt(task, attempt.source));
    if (told.at(-1)?.findings.length === 0) break;
  }
  const last = told.at(-1);
  return {
    task: task.name,
    isRight: last?.isRight ?? false,
    rounds: told.length,
    tokens,
    why: last?.why ?? ['nothing was handed in'],
  };
}

/** Hands in what is written down with the task. */
export const scripted: TaskAuthor = async ({ attempts }, told) => {
  const source = attempts[told.length];
  return source === undefined ? undefined : { source, tokens: 0 };
};

export interface Figures {
  readonly tasks: number;
  readonly right: number;
  readonly rightFirst: number;
  readonly rounds: number;
  readonly tokens: number;
}

export function figuresOf(results: readonly TaskResult[]): Figures {
  const sum = (of: (one: TaskResult) => number): number => results.reduce((all, one) => all + of(one), 0);
  return {
    tasks: results.length,
    right: sum(({ isRight }) => Number(isRight)),
    rightFirst: sum(({ isRight, rounds }) => Number(isRight && rounds === 1)),
    rounds: sum(({ rounds }) => rounds) / Math.max(1, results.length),
    tokens: sum(({ tokens }) => tokens),
  };
}
