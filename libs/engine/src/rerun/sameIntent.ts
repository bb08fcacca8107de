/** Compares what two versions of a workflow call, ask or wait for. */
import { type Json, isSameJson } from '@baton/primitives';

import type { Call, WaitCondition } from '../state/event.ts';
import { type Blobs, resolve } from '../state/value.ts';

/** Whether both are the same call, question, wait or child run. */
export function isSameIntent(before: Call | WaitCondition, now: Call | WaitCondition, blobs: Blobs): boolean {
  return isSameJson(identityOf(before, blobs), identityOf(now, blobs));
}

/** The fields that identify a call, a question or a wait; its time, effect and budget do not. */
function identityOf(intent: Call | WaitCondition, blobs: Blobs): Json {
  if ('for' in intent) return identityOfWait(intent, blobs);
  switch (intent.verb) {
    case 'tool':
      return [intent.verb, intent.server, intent.tool, resolve(intent.arguments, blobs)];
    case 'prompt':
      return [intent.verb, intent.server, intent.prompt, resolve(intent.arguments, blobs)];
    case 'resource':
      return [intent.verb, intent.server, intent.uri, resolve(intent.arguments, blobs)];
    case 'sample':
      return [intent.verb, resolve(intent.request, blobs)];
  }
}

function identityOfWait(awaiting: WaitCondition, blobs: Blobs): Json {
  switch (awaiting.for) {
    case 'time':
      return ['time'];
    case 'turn':
      return ['turn', awaiting.server];
    case 'signal':
      return ['signal', awaiting.name];
    case 'answer':
      return ['answer', awaiting.question.message, awaiting.question.form];
    case 'sample':
      return ['sample', resolve(awaiting.request, blobs)];
    case 'child':
      // An item runs the body of its own version.
      return [
        'child',
        awaiting.workflow,
        awaiting.version ?? null,
        awaiting.item ?? false,
        resolve(awaiting.inputs, blobs),
      ];
  }
}
