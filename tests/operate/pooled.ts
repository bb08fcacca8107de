/** PgBouncer with transaction pooling, with a direct address beside it. */
import { type Postgres, startPooler } from './databases.ts';
import { type Debian, until } from './debian.ts';
import { refusedStart, triedRuns } from './trial.ts';

interface Ready {
  readonly status: number;
  readonly text: string;
}

const readyAt = async (url: string): Promise<Ready> => {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, text: await response.text() };
};

/** A pooler that hands sessions on, of which another program has already changed the settings. */
export async function pooledRuns(debian: Debian, postgres: Postgres, name: string): Promise<string> {
  await postgres.query(
    `alter database ${name} set bytea_output = 'escape'; alter database ${name} set datestyle = 'German'`,
  );
  const { address } = await startPooler(debian, postgres, 'transaction', 10);
  return triedRuns({ DATABASE_URL: `${address}/${name}`, BATON_DIRECT_URL: postgres.url(name) });
}

/** Each of the two ways is cut in the middle of the runs, and comes back: nothing is accepted meanwhile that is not written. */
export async function cutWay(
  debian: Debian,
  postgres: Postgres,
  name: string,
  cut: 'direct' | 'pooled',
): Promise<string> {
  // A pooler of sessions is as good as Postgres itself, and can be stopped alone.
  const direct = await startPooler(debian, postgres, 'session');
  const pooled = await startPooler(debian, postgres, 'transaction', 10);
  const [way, env] = [
    cut === 'direct' ? direct : pooled,
    { DATABASE_URL: `${pooled.address}/${name}`, BATON_DIRECT_URL: `${direct.address}/${name}` },
  ];
  let told = '';
  const disturb = async (url: string): Promise<void> => {
    await way.stop();
    await until(async () => {
      const { status, text } = await readyAt(url);
      if (status !== 503) throw new Error(`/readyz answers ${status} while the ${cut} address is dead: ${text}`);
      told = text;
    });
    await way.startAgain();
  };
  const seen = await triedRuns(env, { disturb });
  if (!/postgres/i.test(told)) throw new Error(`/readyz does not name Postgres: ${told}`);
  return `${seen}; \`/readyz\` was 503 meanwhile`;
}

export async function refusedWays(debian: Debian, postgres: Postgres, name: string): Promise<string> {
  const pooled = (await startPooler(debian, postgres, 'transaction', 10)).address;
  await postgres.query(`create database ${name}_other`);
  const both = await refusedStart(
    { DATABASE_URL: `${pooled}/${name}`, BATON_DIRECT_URL: `${pooled}/${name}` },
    /BATON_DIRECT_URL/,
  );
  const other = await refusedStart(
    { DATABASE_URL: `${pooled}/${name}_other`, BATON_DIRECT_URL: postgres.url(name) },
    /another database/,
  );
  return `refused: ${both} And: ${other}`;
}
