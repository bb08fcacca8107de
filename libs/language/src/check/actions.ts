/** What only one verb has. */
import type { StepDocument } from '../document/step.ts';
import * as types from '../expression/type.ts';
import type { Json } from '../json.ts';
import { lintSchema } from '../schema/lint.ts';
import { quoted } from '../source/excerpt.ts';
import { checkAsk } from './ask.ts';
import { checkCondition, checkTemplate } from './expressions.ts';
import type { Site } from './expressions.ts';
import { withNames } from './scope.ts';

export function checkAction(site: Site, step: StepDocument, pointer: string): void {
  if ('tool' in step) return checkTool(site, step, pointer);
  if ('workflow' in step) checkChild(site, step, pointer);
  if ('with' in step && step.with !== undefined) checkArguments(site, step.with, `${pointer}/with`);
  if ('resource' in step) checkTemplate(site, step.uri, `${pointer}/uri`);
  if ('sample' in step) checkSample(site, step, pointer);
  if ('ask' in step) checkAsk(site, step, pointer);
  if ('wait' in step) checkWait(site, step, pointer);
  if ('fail' in step) checkTemplate(site, step.fail, `${pointer}/fail`);
}

function checkArguments(
  site: Site,
  value: NonNullable<Extract<StepDocument, { tool: unknown }>['with']>,
  pointer: string,
): void {
  const type = checkTemplate(site, value, pointer);
  if (types.mayBe(type, ['map'])) return;
  const found = types.describe(type);
  const message = `Arguments are a map, and this is ${found}.`;
  site.checking.report({ code: 'expression-type', pointer, message, expected: 'a map', found });
}

function checkTool(site: Site, step: Extract<StepDocument, { tool: unknown }>, pointer: string): void {
  const { checking, scope } = site;
  const { report } = checking;
  if (step.with !== undefined) checkArguments({ ...site, takesSecrets: true }, step.with, `${pointer}/with`);
  if (step.key !== undefined) checkTemplate(site, step.key, `${pointer}/key`);
  const { check, ifUnknown, effect } = step;
  if (ifUnknown !== undefined && effect !== undefined && effect !== 'write') {
    const message = `A call that is ${effect === 'read' ? 'a `read`' : '`idempotent`'} is simply made again; \`ifUnknown\` is for a \`write\`.`;
    report({ code: 'unused-key', pointer: `${pointer}/ifUnknown`, at: 'key', message });
  }
  if (ifUnknown === 'check' && check === undefined) {
    const message = '`ifUnknown: check` needs a `check` that finds out.';
    report({
      code: 'missing-key',
      pointer: `${pointer}/ifUnknown`,
      message,
      expected: 'check: { tool, with, happened }',
    });
  }
  if (check === undefined) return;
  if (ifUnknown !== 'check') {
    const message = 'Nothing calls for this check.';
    report({ code: 'unused-key', pointer: `${pointer}/check`, at: 'key', message, expected: 'ifUnknown: check' });
  }
  const at = `${pointer}/check`;
  const inner: Site = { checking, scope };
  if ('tool' in check && check.with !== undefined)
    checkArguments({ ...inner, takesSecrets: true }, check.with, `${at}/with`);
  if ('resource' in check) {
    checkTemplate(inner, check.uri, `${at}/uri`);
    if (check.with !== undefined) checkArguments(inner, check.with, `${at}/with`);
  }
  checkCondition({ checking, scope: withNames(scope, { result: types.anyMap }) }, check.happened, `${at}/happened`);
}

function checkChild(
  { checking }: Site,
  { workflow }: Extract<StepDocument, { workflow: string }>,
  pointer: string,
): void {
  const [id] = workflow.split('@');
  if (id !== checking.workflow) return;
  const message = `The workflow ${quoted(id)} calls itself, and would do so without end.`;
  checking.report({ code: 'calls-itself', pointer: `${pointer}/workflow`, message, hint: 'repeat does things again' });
}

function checkSample(site: Site, { sample }: Extract<StepDocument, { sample: unknown }>, pointer: string): void {
  const { report } = site.checking;
  const at = `${pointer}/sample`;
  const { output, via: _via, ...request } = sample;
  for (const [key, value] of Object.entries(request)) {
    if (value !== undefined) checkTemplate(site, value as Json, `${at}/${key}`);
  }
  if (sample.messages === undefined && sample.append === undefined) {
    report({
      code: 'missing-key',
      pointer: at,
      at: 'key',
      message: 'The model is asked nothing.',
      expected: '`messages`, `append`, or both',
    });
  }
  if (output !== undefined) lintSchema(output, `${at}/output`, report);
}

function checkWait(site: Site, { wait }: Extract<StepDocument, { wait: unknown }>, pointer: string): void {
  const { checking, scope } = site;
  if (typeof wait === 'string') return;
  if ('signal' in wait) {
    const inner = { checking, scope: withNames(scope, { signal: types.any }) };
    if (wait.match !== undefined) checkCondition(inner, wait.match, `${pointer}/wait/match`);
    return;
  }
  const at = `${pointer}/wait/until`;
  const type = checkTemplate(site, wait.until, at);
  const isInstant = wait.until.includes('${{') || !Number.isNaN(Date.parse(wait.until));
  if (!isInstant) {
    const message = `${quoted(wait.until)} is not an instant.`;
    checking.report({ code: 'bad-instant', pointer: at, message, expected: 'RFC 3339, as in 2026-11-30T06:00:00Z' });
  } else if (!types.mayBe(type, ['text', 'timestamp'])) {
    const found = types.describe(type);
    checking.report({
      code: 'expression-type',
      pointer: at,
      message: `An instant is a text, and this is ${found}.`,
      found,
    });
  }
}
