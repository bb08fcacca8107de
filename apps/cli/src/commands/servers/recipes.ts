import { readFile, writeFile } from 'node:fs/promises';

import { readServersFile } from '@baton/boot';
import { didYouMean } from '@baton/expressions';
import { type Recipe, applyRecipe, recipes, serversFor } from '@baton/protocol';

import { projectFolder } from '../../client/projectFolder.ts';
import { CommandError } from '../../commandError.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exitCodes.ts';
import { jsonText } from '../../output/json.ts';
import type { Column } from '../../output/table.ts';
import { oneLine } from '../../output/text.ts';
import { commandOf, printRows } from '../defineCommand.ts';

export const define = commandOf({
  form: (command) =>
    command
      .argument('[name]', 'name of a recipe, to see it')
      .option('--apply', 'write the recipe into mcp.json')
      .option('--server <server>', 'the server of mcp.json that gets it; without it, the one that looks like it')
      .option('--json', 'print the recipes as a JSON array'),
  act: async (context, [name], { apply: isApplied, server, json }) => {
    if (name === undefined) return list(context, json === true);
    const recipe = recipeNamed(name);
    if (isApplied === true) return apply(context, recipe, server);
    context.stdout.line(jsonText(recipe.tools));
  },
  examples: [
    ['baton servers recipes', 'list the servers whose calls Baton knows how to check and undo'],
    ['baton servers recipes memory', 'show what it would declare'],
    ['baton servers recipes memory --apply', 'declare it in mcp.json'],
  ],
});

const columns: readonly Column<Recipe & { readonly servers: readonly string[] }>[] = [
  { title: 'RECIPE', value: ({ name }) => name },
  { title: 'FOR', value: ({ title }) => title },
  { title: 'TOOLS', value: ({ tools }) => Object.keys(tools).join(', '), canShrink: true },
  {
    title: 'TESTED WITH',
    value: ({ testedWith, comparedWith = '' }) => testedWith ?? `the definitions of ${comparedWith}`,
  },
  { title: 'IN MCP.JSON', value: ({ servers }) => servers.join(', ') },
];

async function list(context: Context, isJson: boolean): Promise<void> {
  const { text } = await serversFile(context);
  const rows = recipes.map((recipe) => ({ ...recipe, servers: serversFor(recipe, text) }));
  if (isJson) return context.stdout.line(jsonText(rows));
  await printRows(context, rows, { columns, none: 'There are no recipes.' });
}

/** Throws `CommandError`. */
function recipeNamed(name: string): Recipe {
  const found = recipes.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = recipes.map((one) => one.name);
  throw new CommandError(exitCodes.notFound, `There is no recipe "${oneLine(name.slice(0, 80))}".`, {
    hint: didYouMean(name, names) ?? `there are ${names.join(', ')}`,
  });
}

async function apply(context: Context, recipe: Recipe, server: string | undefined): Promise<void> {
  const { path, text } = await serversFile(context);
  if (path === undefined)
    throw new CommandError(exitCodes.notFound, 'There is no mcp.json.', { hint: 'baton init writes one' });
  const target = server ?? onlyServer(recipe, text);
  const applied = applyRecipe(recipe, text, target);
  if (applied === undefined)
    throw new CommandError(exitCodes.notFound, `${path} has no server "${oneLine(target.slice(0, 80))}".`);
  await writeFile(path, applied.text);
  const { stderr } = context;
  const done = applied.added.length > 0 ? `declares ${applied.added.join(', ')} now` : 'has all of it already';
  stderr.line(`${stderr.paint.green('✓')} ${target} in ${path} ${done}. Deploy your workflows again to use it.`);
  if (applied.kept.length > 0) stderr.line(`Kept what it declares of ${applied.kept.join(', ')}.`);
}

/** Throws `CommandError`. */
function onlyServer(recipe: Recipe, text: string): string {
  const [found, ...others] = serversFor(recipe, text);
  if (found !== undefined && others.length === 0) return found;
  const message =
    found === undefined
      ? `No server of mcp.json looks like ${recipe.knownBy.join(' or ')}.`
      : `${[found, ...others].join(' and ')} both look like ${recipe.knownBy.join(' or ')}.`;
  throw new CommandError(exitCodes.usage, message, { hint: 'name the server with --server' });
}

async function serversFile({ env }: Context): Promise<{ readonly path: string | undefined; readonly text: string }> {
  const { path } = await readServersFile(env['BATON_SERVERS'], await projectFolder(env));
  return { path, text: path === undefined ? '' : await readFile(path, 'utf8') };
}
