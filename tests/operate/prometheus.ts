/** Debian's Prometheus: scrapes Baton, with the alerts that come with it, and answers the questions of the dashboard. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { type Debian, host, programPath, until } from './debian.ts';
import { type Series, drawPanels } from './panels.ts';

const filesFolder = fileURLToPath(new URL('../../deploy/helm/files', import.meta.url));

interface Answer {
  readonly status: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

const picture = fileURLToPath(new URL('../../docs/pictures/dashboard.svg', import.meta.url));

export interface Scraper {
  /** Rejects where a rule or a question of the dashboard is none. `--write` draws its panels. */
  examine(): Promise<string>;
}

/** `urls` of Baton, whose metrics the key may read. */
export async function startScraper(debian: Debian, urls: readonly string[], key: string): Promise<Scraper> {
  const rules = `${filesFolder}/rules.yaml`;
  execFileSync(programPath('promtool') ?? 'promtool', ['check', 'rules', rules], { stdio: 'pipe' });
  const prometheus = await debian.start('prometheus', ({ folder, port }) => {
    // It runs as another user, who may not read the clone.
    const copy = debian.write(folder, 'rules.yaml', readFileSync(rules, 'utf8'));
    const config = debian.write(
      folder,
      'prometheus.yml',
      `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ['${copy}']
scrape_configs:
  - job_name: baton
    authorization: { credentials: '${key}' }
    static_configs: [{ targets: [${urls.map((url) => `'${new URL(url).host}'`).join(', ')}] }]
`,
    );
    return [`--config.file=${config}`, `--web.listen-address=${host}:${port}`, `--storage.tsdb.path=${folder}/data`];
  });
  const ask = async (path: string): Promise<Answer['data']> => {
    const response = await fetch(`http://${host}:${prometheus.port}/api/v1/${path}`);
    const answer = (await response.json()) as Answer;
    if (answer.status !== 'success') throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  return {
    examine: async () => {
      try {
        return await examined(ask);
      } finally {
        await prometheus.kill();
      }
    },
  };
}

type Ask = (path: string) => Promise<Answer['data']>;

async function examined(ask: Ask): Promise<string> {
  await until(async () => {
    const { result } = await ask('query?query=baton_build_info');
    if ((result as unknown[]).length === 0) throw new Error('nothing was scraped');
  });
  const lastSeconds = Math.floor(Date.now() / 1_000);
  const times = `start=${lastSeconds - 60}&end=${lastSeconds}&step=1`;
  let asked = 0;
  let answered = 0;
  const range = async (expr: string): Promise<readonly Series[]> => {
    const { result } = await ask(`query_range?query=${encodeURIComponent(expr)}&${times}`);
    asked += 1;
    if ((result as unknown[]).length > 0) answered += 1;
    return result as Series[];
  };
  const told = `The panels of deploy/helm/files/dashboard.json, answered by Prometheus 2.42 while npm run operate:test ran 40 runs; drawn by tests/operate/panels.ts, not by Grafana.`;
  const drawn = await drawPanels(range, told);
  if (process.argv.includes('--write')) writeFileSync(picture, drawn);
  const found = await until(async () => {
    const { groups } = await ask('rules');
    const all = (groups as { rules: Rule[] }[]).flatMap((group) => group.rules);
    if (all.length === 0 || all.some(({ health }) => health === 'unknown')) throw new Error('rules were not evaluated');
    return all;
  });
  const broken = found.filter(({ health }) => health !== 'ok');
  if (broken.length > 0) throw new Error(`rules that cannot be evaluated: ${JSON.stringify(broken)}`);
  return `${found.length} alerts and ${asked} questions of the dashboard are understood, and ${answered} of these have an answer`;
}
