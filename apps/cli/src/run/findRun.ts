/** Finds runs and questions by the beginning of their id, or as `last`: the newest run that no other run started. */
import type { Client, Question, RunInList } from '@baton/api/client';
import { didYouMean, excerpt } from '@baton/expressions';
import { isObject } from '@baton/primitives';

import { CommandError } from '../commandError.ts';
import { exitCodes } from '../exitCodes.ts';

/** How many of the newest runs are searched. */
const lookedAt = 500;
const tooShort = /^[\da-f]{1,3}$/;
const wholeId = /^[\da-f-]{36}$/;
const beginning = /^[\da-f][\da-f-]{3,34}$/;

/**
 * Resolves to the whole id. The beginning of an id that matches none is returned unchanged, and the API reports it.
 * Rejects with `CommandError`.
 */
export async function findRun(client: Client, written: string): Promise<string> {
  if (written === 'last') {
    let newest: string | undefined;
    // A child run is newer than the run that a person started, and means.
    for await (const { id, trigger } of client.runs.all(undefined, { limit: lookedAt })) {
      if (trigger.kind !== 'workflow') return id;
      newest ??= id;
    }
    if (newest !== undefined) return newest;
    throw new CommandError(exitCodes.notFound, 'There is no run yet.', { hint: 'start one with `baton run NAME`' });
  }
  if (tooShort.test(written))
    throw new CommandError(exitCodes.usage, `"${written}" is too short for the beginning of an id.`, {
      hint: 'write at least 4 characters of it, or last',
    });
  if (wholeId.test(written)) return written;
  if (!beginning.test(written))
    throw new CommandError(exitCodes.notFound, `There is no run "${excerpt(written)}".`, {
      hint: didYouMean(written, ['last']) ?? 'list the runs with `baton runs ls`',
    });
  const matches: string[] = [];
  for await (const { id } of client.runs.all(undefined, { limit: lookedAt }))
    if (id.startsWith(written)) matches.push(id);
  return onlyOne(matches, written, 'run') ?? written;
}

/** The name that the client gave its session; undefined if it gave none. */
export function sessionNameOf({ trigger: { detail } }: Pick<RunInList, 'trigger'>): string | undefined {
  const session = isObject(detail) ? detail['session'] : undefined;
  return typeof session === 'string' ? /^named (.*)$/.exec(session)?.[1] : undefined;
}

/** The newest session at the gateway with this name. Rejects with `CommandError`. */
export async function findSession(client: Client, name: string): Promise<string> {
  const names = new Set<string>();
  for await (const run of client.runs.all({ trigger: 'session' }, { limit: lookedAt })) {
    const given = sessionNameOf(run);
    if (given === name) return run.id;
    if (given !== undefined) names.add(given);
  }
  throw new CommandError(exitCodes.notFound, `There is no session "${excerpt(name)}".`, {
    hint: didYouMean(name, names) ?? 'list the sessions with `baton runs ls --trigger session`',
  });
}

/**
 * Finds a question by the beginning of its id or of its run's id, `last` for the newest, or the only open one. Rejects
 * with `CommandError`.
 */
export async function findQuestion(client: Client, written: string | undefined): Promise<string | undefined> {
  const query = written !== undefined && wholeId.test(written) ? { runId: written } : {};
  const open = await Array.fromAsync(client.questions.all(query));
  if (written === undefined) return open.length === 1 ? open[0]?.id : undefined;
  if (written === 'last') return open.toSorted(byAge).at(-1)?.id;
  const matches = open.filter(({ id }) => id.startsWith(written));
  const [first] = matches;
  if (matches.length > 1 && matches.every(({ runId }) => runId === first?.runId)) {
    throw new CommandError(
      exitCodes.usage,
      `The run has ${matches.length} open questions. Name the one that this answers.`,
      {
        hint: `list them with \`baton answer --run ${first?.runId}\``,
      },
    );
  }
  const ids = matches.map(({ id }) => id);
  return onlyOne(ids, written, 'question') ?? written;
}

const byAge = (one: Question, other: Question): number => (one.id < other.id ? -1 : 1);

function onlyOne(matches: readonly string[], written: string, what: string): string | undefined {
  if (matches.length <= 1) return matches[0];
  const shown = matches.slice(0, 3).join(', ');
  throw new CommandError(exitCodes.usage, `${matches.length} ${what}s begin with "${written}": ${shown}.`, {
    hint: 'write more of the id',
  });
}
