/**
 * `node bench/authoring/main.ts`: how well a model writes workflows with what Baton tells it.
 *
 *   ANTHROPIC_API_KEY=… BATON_BENCH_MODEL=claude-… node bench/authoring/main.ts [--json FILE]
 *   OPENAI_API_KEY=…    BATON_BENCH_MODEL=…        node bench/authoring/main.ts [--json FILE]
 *
 * With `BATON_BENCH_URL` it asks a server that speaks the provider's API. Without a key the attempts that are written
 * down are replayed.
 */
import { writeFileSync } from 'node:fs';

import { FailureError } from '@baton/engine';

import { parseOptions } from '../core/parseOptions.ts';
import { figuresOf, scripted, work } from './author.ts';
import { modelAuthor } from './modelAuthor.ts';
import { tasks } from './tasks.ts';

const { values } = parseOptions({ options: { json: { type: 'string' } } });
const {
  ANTHROPIC_API_KEY: anthropic,
  OPENAI_API_KEY: openai,
  BATON_BENCH_MODEL: model,
  BATON_BENCH_URL: url,
} = process.env;

const kind = anthropic === undefined ? 'openai' : 'anthropic';
const hasKey = (anthropic ?? openai) !== undefined;
if (hasKey !== (model !== undefined)) {
  const missing = hasKey ? 'BATON_BENCH_MODEL' : 'ANTHROPIC_API_KEY or OPENAI_API_KEY';
  process.stderr.write(
    `${missing} is not set: the attempts that are written down are replayed, and no model is asked\n`,
  );
}
const isReal = model !== undefined && hasKey;
const author = isReal ? modelAuthor({ kind, model, url, env: (name) => process.env[name] }) : scripted;
const results = [];
try {
  for (const task of tasks) {
    const result = await work(author, task);
    results.push(result);
    process.stderr.write(`${result.isRight ? 'right' : 'wrong'} after ${result.rounds}: ${task.name}\n`);
  }
} catch (error) {
  if (!(error instanceof FailureError)) throw error;
  process.stderr.write(`${model} cannot be asked after ${results.length} of ${tasks.length} tasks: ${error.message}\n`);
  process.exitCode = 1;
}
const figures = figuresOf(results);
process.stdout.write(`${JSON.stringify({ author: isReal ? model : 'scripted', ...figures }, null, 2)}\n`);
if (values.json !== undefined)
  writeFileSync(values.json, JSON.stringify({ author: isReal ? model : 'scripted', figures, results }, null, 2));
