/**
 * `node bench/authoring/main.ts`: how well a model writes workflows with what Baton tells it.
 *
 *   ANTHROPIC_API_KEY=… BATON_BENCH_MODEL=claude-… node bench/authoring/main.ts [--json FILE]
 *   OPENAI_API_KEY=…    BATON_BENCH_MODEL=…        node bench/authoring/main.ts [--json FILE]
 *
 * Without a key the attempts that are written down are replayed.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import type { JsonObject } from '@baton/language';
import { languageGuide } from '@baton/language';
import { createModels, ModelsConfig } from '@baton/models';

import type { TaskAuthor } from './author.ts';
import { figuresOf, scripted, work } from './author.ts';
import { tasks } from './tasks.ts';

const { values } = parseArgs({ options: { json: { type: 'string' } } });
const { ANTHROPIC_API_KEY: anthropic, OPENAI_API_KEY: openai, BATON_BENCH_MODEL: model } = process.env;

function modelAuthor(kind: 'anthropic' | 'openai', name: string): TaskAuthor {
  const config = ModelsConfig.parse({ default: 'one', providers: { one: { kind, model: name } } });
  const models = createModels(config, {
    env: (key) => process.env[key],
    secret: async () => undefined,
    workspaceFolder: '.',
  });
  return async ({ words, tools }, told) => {
    const findings = told.at(-1)?.findings ?? [];
    const parts = [
      languageGuide(),
      `# Tools\n\n${JSON.stringify(tools)}`,
      `# Task\n\n${words}\n\nAnswer with the workflow alone, as YAML in one code fence.`,
      ...(findings.length === 0 ? [] : [`# Your last text has findings\n\n${findings.join('\n')}`]),
    ];
    const messages = [{ role: 'user', content: { type: 'text', text: parts.join('\n\n') } }];
    const request: JsonObject = { messages, maxTokens: 2_048 };
    const context = {
      runId: 'bench',
      attemptKey: 'bench',
      signal: new AbortController().signal,
      timeout: {},
      onProgress: () => undefined,
    };
    const { result, usage } = await models.sample(request, { context });
    const said = JSON.stringify(result['content'] ?? '');
    const text = (JSON.parse(said) as { text?: string }).text ?? '';
    const source = /```\w*\n([\s\S]*?)```/.exec(text)?.[1] ?? text;
    return { source, tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) };
  };
}

const kind = anthropic === undefined ? 'openai' : 'anthropic';
const isReal = model !== undefined && (anthropic ?? openai) !== undefined;
const author = isReal ? modelAuthor(kind, model) : scripted;
const results = [];
for (const task of tasks) {
  const result = await work(author, task);
  results.push(result);
  process.stderr.write(`${result.isRight ? 'right' : 'wrong'} after ${result.rounds}: ${task.name}\n`);
}
const figures = figuresOf(results);
process.stdout.write(`${JSON.stringify({ author: isReal ? model : 'scripted', ...figures }, null, 2)}\n`);
if (values.json !== undefined)
  writeFileSync(values.json, JSON.stringify({ author: isReal ? model : 'scripted', figures, results }, null, 2));
