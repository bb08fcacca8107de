/** What is tried: each row of the table *tried on* in docs/deployment.md. */
import { collected } from './collector.ts';
import { baton } from './command.ts';
import { type Postgres, startPooler, startPostgres, startStandby } from './databases.ts';
import { type Debian, host } from './debian.ts';
import { behindProxy, databaseBehindProxy } from './haproxy.ts';
import { lostKey } from './lostKey.ts';
import { cutWay, pooledRuns, refusedWays } from './pooled.ts';
import { type Scraper, startScraper } from './prometheus.ts';
import { startCluster, startRedis, startSentinels } from './redises.ts';
import { fromRegistry } from './registry.ts';
import { key, refusedStart, triedRuns } from './trial.ts';
import { valuesInBucket } from './values.ts';

export interface Row {
  readonly on: string;
  /** Programs of Debian. */
  readonly needs: readonly string[];
  /** Resolves to what was seen. Rejects where it is not as documented. */
  readonly attempt: (debian: Debian) => Promise<string>;
}

const pg = ['postgres', 'initdb'];
const database = async (postgres: Postgres, name: string): Promise<string> => {
  await postgres.query(`create database ${name}`);
  return postgres.url(name);
};

/** One Postgres for the rows that only need a database of their own. */
function onPostgres(attempt: (url: string, postgres: Postgres, debian: Debian) => Promise<string>): Row['attempt'] {
  return async (debian) => {
    const postgres = await sharedPostgres(debian);
    const name = `row${(rows += 1)}`;
    return attempt(await database(postgres, name), postgres, debian);
  };
}
let rows = 0;
let shared: Promise<Postgres> | undefined;
const sharedPostgres = (debian: Debian): Promise<Postgres> => (shared ??= startPostgres(debian));
const nameOf = (url: string): string => new URL(url).pathname.slice(1);

export const tried: readonly Row[] = [
  {
    on: 'Postgres 15 at a Unix socket',
    needs: pg,
    attempt: onPostgres((url, { folder, port }) =>
      triedRuns({
        DATABASE_URL: `postgres://postgres:x@/${nameOf(url)}?host=${encodeURIComponent(folder)}&port=${port}`,
      }),
    ),
  },
  {
    on: 'Postgres by the words of libpq',
    needs: pg,
    attempt: onPostgres((url, { port }) =>
      triedRuns({ DATABASE_URL: `host=${host} port=${port} dbname=${nameOf(url)} user=postgres password='x'` }),
    ),
  },
  {
    on: 'Postgres by `PG*` variables alone',
    needs: pg,
    attempt: onPostgres((url, { port }) =>
      triedRuns({ PGHOST: host, PGPORT: String(port), PGDATABASE: nameOf(url), PGUSER: 'postgres', PGPASSWORD: 'x' }),
    ),
  },
  {
    on: 'two installations in one database, each in a schema of its own, queue included',
    needs: pg,
    attempt: onPostgres(async (url, postgres) => {
      const [one, two] = await Promise.all([
        triedRuns({ DATABASE_URL: url, BATON_SCHEMA: 'one' }),
        triedRuns({ DATABASE_URL: url, BATON_SCHEMA: 'two' }),
      ]);
      const found = await postgres.query(
        `select nspname from pg_namespace join pg_class c on relnamespace = pg_namespace.oid where relname in ('run', 'job') order by 1`,
        nameOf(url),
      );
      const names = found.map((row) => Object.values(row as object).join());
      if (names.join() !== 'one,one,two,two') throw new Error(`tables are in ${names.join()}`);
      return `${one}; ${two}`;
    }),
  },
  ...[false, true].map((hasRedis): Row => ({
    on: `a role that may make no tables, after \`baton migrate --for\`, ${hasRedis ? 'with' : 'without'} Redis`,
    needs: hasRedis ? [...pg, 'redis-server'] : pg,
    attempt: onPostgres(async (url, postgres, debian) => {
      const redis = hasRedis ? { REDIS_URL: `redis://${host}:${(await startRedis(debian)).port}` } : {};
      const role = `app${hasRedis ? '_redis' : ''}`;
      await postgres.query(
        `create role ${role} login password 'x'; revoke create on schema public from public`,
        nameOf(url),
      );
      await baton(['migrate', '--for', role], { DATABASE_URL: url, ...redis });
      const own = new URL(url);
      own.username = role;
      return triedRuns({ DATABASE_URL: own.href, ...redis });
    }),
  })),
  {
    on: 'a primary and a synchronous standby by two hosts, without a proxy: the primary is killed under load',
    needs: [...pg, 'pg_basebackup'],
    attempt: async (debian) => {
      const primary = await startPostgres(debian);
      const url = await database(primary, 'baton');
      const standby = await startStandby(debian, primary);
      const several = `postgres://postgres:x@${host}:${primary.port},${host}:${standby.port}/${nameOf(url)}?target_session_attrs=read-write`;
      const disturb = async (): Promise<void> => {
        await primary.kill('SIGKILL');
        await standby.promote();
        await standby.query("alter system set synchronous_standby_names = ''");
        await standby.query('select pg_reload_conf()');
      };
      return triedRuns({ DATABASE_URL: several }, { disturb });
    },
  },
  ...[false, true].map((hasRedis): Row => ({
    on: `PgBouncer, session pooling, ${hasRedis ? 'with' : 'without'} Redis`,
    needs: hasRedis ? [...pg, 'pgbouncer', 'redis-server'] : [...pg, 'pgbouncer'],
    attempt: onPostgres(async (url, postgres, debian) => {
      const redis = hasRedis ? { REDIS_URL: `redis://${host}:${(await startRedis(debian)).port}` } : {};
      return triedRuns({
        DATABASE_URL: `${(await startPooler(debian, postgres, 'session')).address}/${nameOf(url)}`,
        ...redis,
      });
    }),
  })),
  ...['transaction', 'statement'].map((mode): Row => ({
    on: `PgBouncer, ${mode} pooling, without \`BATON_DIRECT_URL\``,
    needs: [...pg, 'pgbouncer'],
    attempt: onPostgres(async (url, postgres, debian) => {
      const DATABASE_URL = `${(await startPooler(debian, postgres, mode)).address}/${nameOf(url)}`;
      const sentence = await refusedStart({ DATABASE_URL }, /pool/);
      const left = await postgres.query(`select from pg_locks where locktype = 'advisory'`, nameOf(url));
      if (left.length > 0) throw new Error('a lock stayed behind');
      return `refused: ${sentence}`;
    }),
  })),
  {
    on: 'PgBouncer, transaction pooling with 10 sessions, and `BATON_DIRECT_URL`; the database has other defaults for values',
    needs: [...pg, 'pgbouncer'],
    attempt: onPostgres((url, postgres, debian) => pooledRuns(debian, postgres, nameOf(url))),
  },
  ...(['direct', 'pooled'] as const).map((cut): Row => ({
    on: `the same, and the ${cut} address is dead for a while`,
    needs: [...pg, 'pgbouncer'],
    attempt: onPostgres((url, postgres, debian) => cutWay(debian, postgres, nameOf(url), cut)),
  })),
  {
    on: 'a `BATON_DIRECT_URL` that is a pooler of transactions too, and one of another database',
    needs: [...pg, 'pgbouncer'],
    attempt: onPostgres((url, postgres, debian) => refusedWays(debian, postgres, nameOf(url))),
  },
  {
    on: 'HAProxy before a primary and a synchronous standby, with `timeout client` and `timeout server` of 15 s: idle for 33 s, then the primary is killed under load',
    needs: [...pg, 'pg_basebackup', 'haproxy'],
    attempt: async (debian) => {
      const primary = await startPostgres(debian);
      return databaseBehindProxy(debian, primary, nameOf(await database(primary, 'baton')));
    },
  },
  {
    on: 'HAProxy before two servers, with its usual check, no stickiness and time-outs of 30 s: one server is killed under load',
    needs: [...pg, 'haproxy'],
    attempt: onPostgres((url, _, debian) => behindProxy({ DATABASE_URL: url }, debian)),
  },
  {
    on: 'a database whose `BATON_SECRET_KEY` is lost',
    needs: pg,
    attempt: onPostgres((url) => lostKey(url)),
  },
  {
    on: 'Redis Sentinel (3), the primary is killed under load',
    needs: [...pg, 'redis-server'],
    attempt: onPostgres(async (url, _, debian) => {
      const { url: REDIS_URL, primary } = await startSentinels(debian);
      return triedRuns({ DATABASE_URL: url, REDIS_URL }, { disturb: () => primary.kill('SIGKILL') });
    }),
  },
  {
    on: 'Redis Cluster of three primaries',
    needs: [...pg, 'redis-server'],
    attempt: onPostgres(async (url, _, debian) =>
      triedRuns({ DATABASE_URL: url, REDIS_URL: await startCluster(debian) }),
    ),
  },
  {
    on: 'Redis whose user may use no key: it answers every command with an error',
    needs: [...pg, 'redis-server'],
    attempt: onPostgres(async (url, _, debian) => {
      const { port } = await startRedis(debian, '--user', 'default', 'on', 'nopass', '~other:*', '&*', '+@all');
      return triedRuns(
        { DATABASE_URL: url, REDIS_URL: `redis://${host}:${port}` },
        { queue: /answers with the error NOPERM/ },
      );
    }),
  },
  {
    on: 'Redis with `maxmemory-policy allkeys-lru`',
    needs: [...pg, 'redis-server'],
    attempt: onPostgres(async (url, _, debian) => {
      const { port } = await startRedis(debian, '--maxmemory-policy', 'allkeys-lru');
      return `refused: ${await refusedStart({ DATABASE_URL: url, REDIS_URL: `redis://${host}:${port}` }, /maxmemory-policy/)}`;
    }),
  },
  {
    on: 'Prometheus 2.42, with the alerts and the dashboard of `deploy/helm/files`',
    needs: [...pg, 'prometheus', 'promtool'],
    attempt: onPostgres(async (DATABASE_URL, _, debian) => {
      let scraper: Scraper | undefined;
      const front = async (urls: readonly string[]): Promise<string> => {
        scraper = await startScraper(debian, urls, key);
        return urls[0] ?? '';
      };
      return triedRuns({ DATABASE_URL }, { front, look: async () => (await scraper?.examine()) ?? '' });
    }),
  },
  {
    on: 'an OpenTelemetry collector by its wire format (OTLP over HTTP, in JSON), which refuses in the middle of the runs',
    needs: pg,
    attempt: onPostgres((url) => collected(url)),
  },
  {
    on: 'large values in a bucket (`BATON_VALUES=s3://…`, s3rver 3.7.1)',
    needs: [...pg, 'npm'],
    attempt: onPostgres((url, postgres, debian) => valuesInBucket(debian, postgres, nameOf(url))),
  },
  {
    on: `npm's registry on this machine (verdaccio 6.10.4)`,
    needs: ['npm', 'npx'],
    attempt: (debian) => fromRegistry(debian),
  },
];
