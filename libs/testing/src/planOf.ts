import { failureCodes } from '@baton/engine';
import {
  type DecidedEffect,
  type Effect,
  type Plan,
  type ToolDeclaration,
  type ToolSchemas,
  checkWorkflow,
  compile,
  formatFinding,
} from '@baton/language';

/**
 * A workflow's text, checked and compiled. Tools of the given effects, `server/tool` by name; the others are writes.
 * `definitions`: the schemas that the version pins, by the same names; `declarations`: what the server configuration
 * declares.
 */
export function planOf(
  text: string,
  effects: Readonly<Record<string, Effect | DecidedEffect>> = {},
  definitions: Readonly<Record<string, ToolSchemas>> = {},
  declarations: Readonly<Record<string, ToolDeclaration>> = {},
): Plan {
  const { workflow, findings } = checkWorkflow(text, { failureCodes: Object.keys(failureCodes) });
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (workflow === undefined) throw new Error(errors.map((finding) => formatFinding(finding)).join('\n'));
  return compile(workflow, {
    effects: (server, tool) => {
      const effect = effects[`${server}/${tool}`];
      return typeof effect === 'string' ? { effect, from: 'server' } : effect;
    },
    definitions: (server, tool) => definitions[`${server}/${tool}`],
    declarations: (server, tool) => declarations[`${server}/${tool}`],
  });
}
