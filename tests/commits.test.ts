/** Commits read `room: what changes`, at most 72 characters, and their body says why: see CONTRIBUTING.md. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The last commit before the rule. */
const ruleBegan = '02b2017';

interface Commit {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
}

/** Empty where there is no git, or where the clone is too shallow to hold the commit that the rule began with. */
function commitsSince(revision: string): Commit[] {
  try {
    const log = execFileSync('git', ['log', '--no-merges', '--format=%h%x1f%s%x1f%b%x1e', `${revision}..HEAD`], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return log.split('\x1e').flatMap((entry) => {
      const [id = '', subject = '', body = ''] = entry.trim().split('\x1f');
      return id === '' ? [] : [{ id, subject, body: body.trim() }];
    });
  } catch {
    return [];
  }
}

describe('commits', () => {
  const commits = commitsSince(ruleBegan);
  const told = (wrong: (commit: Commit) => boolean): string[] =>
    commits.filter(wrong).map(({ id, subject }) => `${id} ${subject}`);

  test('name the room and what changes', () => {
    expect(told(({ subject }) => !/^[a-zA-Z][\w ,/.-]*: \S/.test(subject))).toEqual([]);
  });

  test('have a subject of 72 characters at most', () => {
    expect(told(({ subject }) => subject.length > 72)).toEqual([]);
  });

  test('say why in their body', () => {
    expect(told(({ body }) => body.length === 0)).toEqual([]);
  });
});
