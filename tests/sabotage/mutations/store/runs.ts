import type { Mutation } from '../../mutation.ts';

export const runsMutations: readonly Mutation[] = [
  {
    safeguard: 'idempotency: body mismatch (lost the race in Postgres)',
    file: 'libs/store/src/runs/requestRun.ts',
    find: "found.digest === digest ? 'existing' : 'key-reused'",
    replace: "found.digest.length > 0 ? 'existing' : 'key-reused'",
    shownBy: ['libs/store/src/journal/journal.int.test.ts'],
  },
  {
    safeguard: 'concurrency limit of a key (at once)',
    file: 'libs/store/src/runs/turns.ts',
    find: 'where (select count(*) from turn where key = $2) < $3::int`',
    replace: 'where (select count(*) from turn where key = $2) < $3::int + 1000`',
    shownBy: ['libs/store/src/runs/turns.int.test.ts'],
  },
  {
    safeguard: 'silent worker: only after 6 s without a heartbeat',
    file: 'libs/store/src/runs/stuckRuns.ts',
    find: "(worker.id is null or heartbeat_at < now() - $1 * interval '1 ms')",
    replace: '($1::float8 is not null)',
    shownBy: ['libs/store/src/runs/stuckRuns.int.test.ts'],
  },
  {
    safeguard: 'concurrency limit of a key (line)',
    file: 'libs/store/src/runs/turns.ts',
    find: '+ place <= most as is_there',
    replace: '+ 0 * place <= most as is_there',
    shownBy: ['libs/store/src/runs/turns.int.test.ts'],
  },
  {
    safeguard: "concurrency: asked under the key's lock",
    file: 'libs/store/src/runs/turns.ts',
    find: "client.query(`select pg_advisory_xact_lock(hashtextextended('turn ' || $1, 0))`, [key]);",
    replace: "client.query(`select hashtextextended('turn ' || $1, 0)`, [key]);",
    shownBy: ['libs/store/src/runs/turns.int.test.ts'],
  },
  {
    safeguard: 'ownership: one process owns what is done for all',
    file: 'libs/store/src/workers/ownership.ts',
    find: 'select pg_try_advisory_lock($1, hashtext($2)) as "isOurs"',
    replace: 'select ($1::int is not null and hashtext($2) is not null) as "isOurs"',
    shownBy: ['libs/store/src/workers/ownership.int.test.ts'],
  },
  {
    safeguard: 'places of workers are shared by who asked for the runs',
    file: 'libs/store/src/runs/fairShare.ts',
    find: 'where turn <= share',
    replace: 'where turn > 0',
    shownBy: ['libs/store/src/runs/fairShare.int.test.ts'],
  },
  {
    safeguard: 'fairness: the last place is for a caller who has no run there',
    file: 'libs/store/src/runs/fairShare.ts',
    find: 'where pick < $5::int or turn = 1',
    replace: 'where pick <= $5::int or turn = 1',
    shownBy: ['libs/store/src/runs/fairShare.int.test.ts'],
  },
  {
    safeguard: 'fairness: only the offered runs are considered',
    file: 'libs/store/src/runs/fairShare.ts',
    find: "statement('true', 'run.id = any($6::uuid[])')",
    replace: "statement('true', '(run.id = any($6::uuid[]) or true)')",
    shownBy: ['libs/store/src/runs/fairShare.int.test.ts'],
  },
  {
    safeguard: 'a NUL in what a server said hides no running runs',
    file: 'libs/store/src/runs/listRuns.ts',
    find: 'select seq, ${pathColumn} as path',
    replace: "select seq, to_json(data->>'path')::text as path, ${pathColumn} as other",
    shownBy: ['libs/store/src/runs/runs.int.test.ts'],
  },
];
