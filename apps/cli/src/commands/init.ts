import { CommandError } from '../commandError.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exitCodes.ts';
import { type Template, findTemplate, templates } from '../init/templates.ts';
import { commandOf } from './defineCommand.ts';

const [usual] = templates;

export const define = commandOf({
  form: (command) =>
    command
      .argument('[template]', templates.map(({ name, about }) => `${name}: ${about}`).join('; '))
      .argument('[folder]', 'folder for the new files; created if missing', '.')
      .option('-y, --yes', `ask nothing; without a template, write ${usual.name}`),
  act: async (context, [name, folder], { yes }) => {
    const template = name === undefined ? await choose(context, yes === true) : named(name);
    if (template === undefined) return;
    const { initFolder } = await import('../init/initFolder.ts');
    await initFolder(context, template, folder);
  },
  examples: [
    ['baton init', 'choose a template, and write it here; existing files are kept'],
    ['baton init --yes', `write the template ${usual.name}`],
    ['baton init approval flows', 'write another template to the folder flows'],
  ],
});

function named(name: string): Template {
  const template = findTemplate(name);
  if (template !== undefined) return template;
  throw new CommandError(exitCodes.usage, `There is no template "${name.slice(0, 80)}".`, {
    hint: `the templates are ${templates.map((one) => one.name).join(', ')}; a folder comes after the template`,
  });
}

/** Undefined if the person cancels. */
async function choose(context: Context, isSilent: boolean): Promise<Template | undefined> {
  if (isSilent || !context.isInteractive) return templates[0];
  const { isCancel, select } = await import('@clack/prompts');
  const options = templates.map((template) => ({ value: template, label: template.name, hint: template.about }));
  const chosen = await select({ message: 'Which template?', options, output: context.stderr.stream });
  if (!isCancel(chosen)) return chosen;
  context.exitCode = exitCodes.interrupted;
  return undefined;
}
