/** What the importer reads of nodes of n8n, and findings about the rest. */
import { childOf } from '@baton/expressions';
import type { Json, JsonObject } from '@baton/primitives';

import type { Import } from '../importing.ts';
import { mapOf } from '../json.ts';
import type { N8nNode } from './readN8n.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Parameters by kind of node; other kinds are tools, which get all of theirs. */
const read: Readonly<Record<string, ReadonlySet<string>>> = {
  httpRequest: setOf(
    'method requestMethod url sendQuery specifyQuery queryParameters queryParametersUi jsonQuery sendHeaders specifyHeaders ' +
      'headerParameters headerParametersUi jsonHeaders sendBody contentType specifyBody bodyParameters bodyParametersUi ' +
      'jsonBody bodyParametersJson jsonParameters body options authentication genericAuthType nodeCredentialType',
  ),
  set: setOf(
    'mode jsonOutput assignments fields values includeOtherFields include includeFields excludeFields options keepOnlySet duplicateItem',
  ),
  if: setOf('conditions combineOperation options looseTypeValidation'),
  filter: setOf('conditions combineOperation options looseTypeValidation'),
  switch: setOf(
    'mode rules output numberOutputs outputsAmount value1 dataType fallbackOutput options looseTypeValidation',
  ),
  wait: setOf(
    'resume amount unit dateTime options httpMethod responseMode limitWaitTime limitType resumeAmount resumeUnit maxDateAndTime',
  ),
  stopAndError: setOf('errorType errorMessage errorObject'),
  executeWorkflow: setOf('source workflowId workflowInputs mode options'),
  splitOut: setOf('fieldToSplitOut include fieldsToInclude options'),
  splitInBatches: setOf('batchSize options'),
  aggregate: setOf('aggregate destinationFieldName include options fieldsToAggregate fieldsToInclude fieldsToExclude'),
  scheduleTrigger: setOf('rule'),
  cron: setOf('triggerTimes'),
  interval: setOf('unit interval'),
};

/** Options that the importer reads, by kind. */
const readOptions: Readonly<Record<string, ReadonlySet<string>>> = {
  httpRequest: setOf('timeout'),
  if: setOf('ignoreCase'),
  filter: setOf('ignoreCase'),
  switch: setOf('ignoreCase allMatchingOutputs fallbackOutput renameFallbackOutput'),
  executeWorkflow: setOf('waitForSubWorkflow'),
  splitOut: setOf('destinationFieldName'),
};

const isSet = (value: Json | undefined): boolean =>
  value !== undefined && value !== false && value !== null && value !== '' && JSON.stringify(value) !== '{}';

/** A finding for each parameter and option that changes what the node does, and that the imported step does not have. */
export function noteParameters(importing: Import, { name, kind, parameters, pointer }: N8nNode): void {
  const known = read[kind];
  if (known === undefined) return;
  const at = childOf(pointer, 'parameters');
  const others = (fields: JsonObject, taken: ReadonlySet<string>, where: string): void => {
    for (const [key, value] of Object.entries(fields)) {
      if (taken.has(key) || !isSet(value)) continue;
      const message = `The imported step has no counterpart of \`${key.slice(0, 40)}\` of "${name}".`;
      importing.note('left-out', { pointer: childOf(where, key), at: 'key', message });
    }
  };
  others(parameters, known, at);
  others(mapOf(parameters['options']), readOptions[kind] ?? new Set(), childOf(at, 'options'));
}

/** Settings of the workflow. */
export function noteSettings(importing: Import, settings: JsonObject): void {
  if (isSet(settings['errorWorkflow'])) {
    const message = 'When a run fails, n8n starts another workflow. Here `onFailure` has the steps for that.';
    importing.note('left-out', { pointer: '/settings/errorWorkflow', at: 'key', message });
  }
  const silent = setOf('errorWorkflow timezone executionTimeout executionOrder');
  const others = Object.keys(settings).filter((key) => !silent.has(key) && isSet(settings[key]));
  const [first] = others;
  if (first === undefined) return;
  const message = `Settings of n8n itself are left out: ${others.slice(0, 6).join(', ')}.`;
  importing.note('left-out', { pointer: childOf('/settings', first), at: 'key', message });
}

/** How n8n runs a node, and goes on after it fails. */
export function noteNode(importing: Import, { name, fields, pointer, outputs, kind }: N8nNode): void {
  if (fields['retryOnFail'] === true && kind === 'executeWorkflow')
    importing.note('left-out', {
      pointer: childOf(pointer, 'retryOnFail'),
      at: 'key',
      message: `A child run is not repeated: "${name}" has no retries.`,
      hint: 'give the steps of the child workflow a `retry`',
    });
  else if (fields['retryOnFail'] === true)
    importing.noteOnce('differs', {
      pointer: childOf(pointer, 'retryOnFail'),
      at: 'key',
      message: 'n8n repeats any failed call; Baton repeats a write only where it certainly did not happen.',
      hint: 'say `effect: idempotent`, or how to find out, in `check`',
    });
  const isIgnored = fields['continueOnFail'] === true || fields['onError'] === 'continueRegularOutput';
  const goesOn = isIgnored || fields['onError'] === 'continueErrorOutput';
  if (goesOn)
    importing.noteOnce('differs', {
      pointer: childOf(pointer, fields['onError'] === undefined ? 'continueOnFail' : 'onError'),
      at: 'key',
      message:
        (outputs[1] ?? []).length > 0 && !isIgnored
          ? 'n8n hands the failed item on; here the steps of the error output read `error`.'
          : 'After an ignored failure n8n hands the input on; here the output of the step is null.',
    });
  if (fields['alwaysOutputData'] === true)
    importing.noteOnce('differs', {
      pointer: childOf(pointer, 'alwaysOutputData'),
      at: 'key',
      message: 'Where a node of n8n gives no item, nothing after it runs; here the next step always runs.',
    });
}
