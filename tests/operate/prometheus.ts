/** Debian's Prometheus: scrapes Baton, with the alerts that come with it, and answers the questions of the dashboard. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { type Debian, host, programPath, until } from './debian.ts';

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

/** `url` of a Baton, whose metrics the key may read. Rejects where a rule or a question is none. */
export async function scraped(debian: Debian, url: string, key: string): Promise<string> {
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
    static_configs: [{ targets: ['${new URL(url).host}'] }]
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
  const query = async (text: string): Promise<number> => {
    const { result } = await ask(`query?query=${encodeURIComponent(text)}`);
    return (result as unknown[]).length;
  };
  await until(async () => {
    if ((await query('baton_build_info')) === 0) throw new Error('nothing was scraped');
  });
  const panels = dashboardQueries();
  for (const text of panels) await query(text);
  const found = await until(async () => {
    const { groups } = await ask('rules');
    const all = (groups as { rules: Rule[] }[]).flatMap((group) => group.rules);
    if (all.length === 0 || all.some(({ health }) => health === 'unknown')) throw new Error('rules were not evaluated');
    return all;
  });
  const broken = found.filter(({ health }) => health !== 'ok');
  if (broken.length > 0) throw new Error(`rules that cannot be evaluated: ${JSON.stringify(broken)}`);
  await prometheus.kill();
  return `${found.length} alerts and ${panels.length} questions of the dashboard are understood`;
}

function dashboardQueries(): string[] {
  const { panels } = JSON.parse(readFileSync(`${filesFolder}/dashboard.json`, 'utf8')) as {
    panels: { targets: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}
