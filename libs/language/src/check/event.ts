/** Checks a trigger on an event of a server (SEP-3415): its parameters, and what its runs can read of it. */
import {
  type Field,
  type Type,
  either,
  excerpt,
  quoted,
  sharingWords,
  types,
  typeOfResult,
  usableSchema,
} from '@baton/expressions';

import type { EventDocument } from '../document/triggers.ts';
import { type GivenValue, fitArguments } from '../fit/fitValue.ts';
import type { OfferedEvent } from '../servers/offer.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import { checkArguments } from './callArguments.ts';
import { type KnownOffer, findServer, reportMissing } from './calls.ts';
import type { CheckRun } from './checkRun.ts';
import { effectOf } from './effects.ts';
import type { CheckScope } from './scope.ts';

/** Returns what the inputs of its runs can read. */
export function checkEvent(checking: CheckRun, trigger: EventDocument, pointer: string): CheckScope {
  const [server] = splitTarget(trigger.event);
  const site = { checking, scope: { names: new Map(), steps: undefined }, secretsFor: server };
  const given = checkArguments(site, trigger.params, pointer, 'params');
  const payload = payloadOf(checking, trigger.event, `${pointer}/event`, given);
  const event = trigger.onGap === 'run' ? withGap(payload) : payload;
  return { names: new Map([['event', event]]), steps: undefined };
}

function payloadOf(checking: CheckRun, target: string, named: string, given: GivenValue): Type {
  const [server, name] = splitTarget(target);
  const { offer } = findServer(checking, server, name, named);
  if (offer === undefined) return types.any;
  if (offer.events === undefined) {
    reportUnsupported(checking, offer, target, named);
    return types.any;
  }
  const event = offer.events.find((one) => one.name === name);
  if (event !== undefined) return typeOf(checking, event, { target, named, given });
  const names = offer.events.map((one) => one.name);
  reportMissing(checking, 'event', target, names, { leftOut: offer.leftOut, named });
  return types.any;
}

interface EventUse {
  readonly target: string;
  readonly named: string;
  readonly given: GivenValue;
}

function typeOf(checking: CheckRun, event: OfferedEvent, { target, named, given }: EventUse): Type {
  const what = `event ${target}`;
  if (!checking.mayLookAt(what)) return types.any;
  const input = usableSchema(event.inputSchema);
  const payload = usableSchema(event.payloadSchema);
  if (input.trusted.length + payload.trusted.length > 0 && !checking.assumed.has(what)) {
    const message = `A part of the schemas of the event ${quoted(target)} cannot be used, and is taken on trust.`;
    checking.report({ code: 'assumed', pointer: named, message });
    checking.assumed.add(what);
  }
  fitArguments(checking.report, given, input.schema, { owner: `The event ${quoted(target)}`, named });
  return typeOfResult(payload.schema);
}

/** In the run of a gap there is `gap` alone, and in the others the payload besides. */
function withGap(payload: Type): Type {
  if (payload.kind !== 'map') return types.any;
  const fields = new Map<string, Field>();
  for (const [name, { type }] of payload.fields) fields.set(name, { type, isOptional: true });
  return { ...payload, fields: fields.set('gap', { type: types.boolean }) };
}

/** Names the poll that would do instead. */
function reportUnsupported(checking: CheckRun, { tools }: KnownOffer, target: string, named: string): void {
  const [server, name] = splitTarget(target);
  const reads = tools.flatMap((tool) =>
    effectOf(checking, { tool: `${server}/${tool.name}` })?.effect === 'read' ? [tool.name] : [],
  );
  const alike = sharingWords(name, reads);
  const some = (alike.length > 0 ? alike : reads).slice(0, 3).map((one) => excerpt(`poll: ${server}/${one}`, 80));
  checking.report({
    code: 'events-unsupported',
    pointer: named,
    message: `The server ${quoted(server)} has no events.`,
    expected: 'a server that offers events (SEP-3415), or a poll of a tool that reads',
    found: target,
    hint: `write \`${some.length === 0 ? `poll: ${server}/…` : either(some)}\` with \`items\` and \`key\``,
  });
}
