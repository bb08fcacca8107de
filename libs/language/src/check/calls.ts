/** Checks calls against what servers offer, and child runs against deployed workflows. */
import {
  type Type,
  types,
  typeOfResult,
  type UsableSchema,
  usableSchema,
  excerpt,
  quoted,
  didYouMean,
  either,
  nearest,
  sharingWords,
  segmentsOf,
} from '@baton/expressions';
import type { JsonSchema } from '@baton/primitives';

import { type GivenValue, fitArguments } from '../fit/fitValue.ts';
import { type FitVerdict, atBest } from '../fit/verdict.ts';
import { withoutGivenArguments } from '../servers/argumentDefaults.ts';
import type { CallNote } from '../servers/callReport.ts';
import type { ServerOffer, OfferedTool } from '../servers/offer.ts';
import { promptSchema } from '../servers/promptSchema.ts';
import { splitTarget } from '../servers/splitTarget.ts';
import { formOf, meetsAny } from '../servers/uriForm.ts';
import type { CheckRun } from './checkRun.ts';
import { writtenAnswer } from './writtenAnswer.ts';

/** The knowledge about a server that checking a call needs. */
export type KnownOffer = Extract<ServerOffer, { kind: 'known' }>;

interface KnownServer {
  readonly offer: KnownOffer | undefined;
  readonly exists: FitVerdict;
  readonly reason?: string;
}

/** `named` is the place that names the server. */
export function findServer(checking: CheckRun, server: string, name: string | undefined, named: string): KnownServer {
  const { servers, report, assumed } = checking;
  if (servers === undefined) return { offer: undefined, exists: 'assumed', reason: 'No server was asked.' };
  const offer = servers.get(server);
  if (offer === undefined) {
    const names = [...servers.keys()].toSorted();
    const some = names.slice(0, 5).map((one) => excerpt(one, 40));
    report({
      code: 'unknown-server',
      pointer: named,
      message: `No server ${quoted(server)} is configured.`,
      expected: names.length === 0 ? 'a server in the server configuration' : `a configured server: ${either(some)}`,
      found: server,
      hint: didYouMean(server, names, (one) => (name === undefined ? one : `${one}/${name}`)),
    });
    return { offer: undefined, exists: 'contradiction' };
  }
  if (offer.kind === 'known') return { offer, exists: 'proved' };
  if (offer.kind === 'unasked') return { offer: undefined, exists: 'assumed', reason: 'The server was not asked.' };
  const message = `The server ${quoted(server)} cannot be asked now: what is used of it is taken on trust. ${excerpt(offer.reason, 160)}`;
  if (!assumed.has(server)) report({ code: 'assumed', pointer: named, message });
  assumed.add(server);
  return { offer: undefined, exists: 'assumed', reason: excerpt(offer.reason, 160) };
}

const codes = { tool: 'unknown-tool', prompt: 'unknown-prompt', event: 'unknown-event' } as const;

export function reportMissing(
  { report }: CheckRun,
  what: keyof typeof codes,
  target: string,
  names: readonly string[],
  { leftOut, named }: { readonly leftOut: KnownOffer['leftOut']; readonly named: string },
): void {
  const [server, name] = splitTarget(target);
  const why = leftOut?.find((one) => one.name === name)?.why;
  if (why !== undefined) {
    const message = `Baton cannot use the ${what} ${quoted(name)} of the server ${quoted(server)}. ${excerpt(why, 200)}`;
    report({ code: codes[what], pointer: named, message, found: name });
    return;
  }
  const hint = didYouMean(name, names, (one) => `${server}/${one}`);
  const all =
    names.length === 1 ? `its only ${what}, ${excerpt(names[0] ?? '')}` : `one of its ${names.length} ${what}s`;
  const alike = hint === undefined && names.length > 1 ? sharingWords(name, names) : [];
  report({
    code: codes[what],
    pointer: named,
    message: `The server ${quoted(server)} has no ${what} ${quoted(name)}.`,
    expected: alike.length === 0 ? all : `${all}, such as ${either(alike.map((one) => excerpt(one)))}`,
    found: name,
    hint,
  });
}

const changedText = (target: string, drift: string): string =>
  `The tool ${quoted(target)} is not what the version before was checked against. ${excerpt(drift, 1_000)}`;

/** Checks the call of a tool; returns the type of its `output`. */
export function checkToolCall(
  checking: CheckRun,
  target: string,
  named: string,
  given: GivenValue,
  note: Pick<CallNote, 'effect'>,
): Type {
  const [server, name] = splitTarget(target);
  const { offer, ...asked } = findServer(checking, server, name, named);
  const tool = offer?.tools.find((one) => one.name === name);
  const noted = { ...note, verb: 'tool', target, pointer: named } as const;
  if (tool === undefined) {
    if (offer !== undefined)
      reportMissing(
        checking,
        'tool',
        target,
        offer.tools.map((one) => one.name),
        { leftOut: offer.leftOut, named },
      );
    const exists = offer === undefined ? asked.exists : 'contradiction';
    const meant = offer && nearestTool(name, offer.tools);
    const schemas = meant && schemasOf(checking, target, meant);
    const owner = { owner: `The tool ${quoted(`${server}/${meant?.name}`)}`, named };
    // Continues as if the author had taken the suggestion, so that correcting the name reveals no further mistakes.
    const verdict = schemas ? fitArguments(checking.report, given, writtenSchema(schemas, note), owner) : 'assumed';
    checking.calls.push({ ...noted, ...asked, exists, arguments: verdict });
    return answerOf(checking, target, schemas, given);
  }
  const drift = checking.drift?.get(target);
  if (drift !== undefined)
    checking.report({ code: 'tool-changed', pointer: named, message: changedText(target, drift) });
  const schemas = schemasOf(checking, target, tool);
  const trusted = trustedOf(target, schemas);
  if (!checking.assumed.has(target)) {
    for (const message of trusted) checking.report({ code: 'assumed', pointer: named, message });
  }
  if (trusted.length > 0) checking.assumed.add(target);
  if (schemas === undefined) {
    const [reason = ''] = trusted;
    checking.calls.push({ ...noted, exists: 'proved', arguments: 'assumed', reason });
    return answerOf(checking, target, schemas, given);
  }
  const owner = { owner: `The tool ${quoted(target)}`, named };
  const isWhole = schemas.input.trusted.length === 0;
  const verdict = atBest(fitArguments(checking.report, given, writtenSchema(schemas, note), owner), isWhole);
  const why = isWhole ? 'Not all arguments can be proved before they are computed.' : trusted[0];
  const reason = verdict === 'assumed' && why !== undefined ? { reason: why } : {};
  checking.calls.push({ ...noted, exists: 'proved', arguments: verdict, ...reason });
  return answerOf(checking, target, schemas, given);
}

/** The type of `output`. */
function answerOf(checking: CheckRun, target: string, schemas: ToolSchemas | undefined, given: GivenValue): Type {
  const changed = checking.answers?.get(target);
  const declared = schemas?.output === undefined ? types.any : typeOfResult(schemas.output.schema);
  return writtenAnswer(checking, schemas?.input.schema, given, changed ?? declared);
}

/** The schema of the arguments that the author must write. */
function writtenSchema({ input }: ToolSchemas, { effect }: Pick<CallNote, 'effect'>): JsonSchema {
  const support = effect?.idempotency;
  return withoutGivenArguments(input.schema, typeof support === 'object' ? support.argument : undefined);
}

/** The tool that was meant, if there is only one candidate. */
function nearestTool(written: string, tools: readonly OfferedTool[]): OfferedTool | undefined {
  const [near, ...others] = nearest(
    written,
    tools.map(({ name }) => name),
  );
  return others.length > 0 ? undefined : tools.find(({ name }) => name === near);
}

/** The schemas of a tool, as far as they can be used. */
interface ToolSchemas {
  readonly input: UsableSchema;
  readonly output: UsableSchema | undefined;
}

/** Undefined if too many large ones were read for this check. */
function schemasOf(
  { mayLookAt }: CheckRun,
  target: string,
  { inputSchema, outputSchema }: OfferedTool,
): ToolSchemas | undefined {
  if (!mayLookAt(target)) return undefined;
  return {
    input: usableSchema(inputSchema),
    output: outputSchema === undefined ? undefined : usableSchema(outputSchema),
  };
}

/** Warnings about one tool; more are told by their number. */
const warningsMax = 3;

/** What of a tool's schemas is taken on trust, as sentences. */
function trustedOf(target: string, schemas: ToolSchemas | undefined): readonly string[] {
  const tool = `of the tool ${quoted(target)}`;
  if (schemas === undefined)
    return [`The schemas ${tool} cannot be used: the call is taken on trust. They take too long to be looked at.`];
  const all = (['input', 'output'] as const).flatMap((which) =>
    (schemas[which]?.trusted ?? []).map(({ pointer, why }) => {
      if (pointer === '') return `The ${which} schema ${tool} cannot be used: the call is taken on trust. ${why}`;
      const keyword = quoted(segmentsOf(pointer).at(-1) ?? '');
      return `In the ${which} schema ${tool}, ${keyword} at ${excerpt(pointer)} is taken on trust, and the rest is checked. ${why}`;
    }),
  );
  const more = all.length - warningsMax;
  if (more <= 1) return all;
  return [...all.slice(0, warningsMax), `${more} more parts of the schemas ${tool} are taken on trust.`];
}

export function checkPromptCall(checking: CheckRun, target: string, named: string, given: GivenValue): void {
  const [server, name] = splitTarget(target);
  const { offer, ...asked } = findServer(checking, server, name, named);
  const prompt = offer?.prompts.find((one) => one.name === name);
  const noted = { verb: 'prompt', target, pointer: named } as const;
  if (prompt === undefined) {
    if (offer !== undefined)
      reportMissing(
        checking,
        'prompt',
        target,
        offer.prompts.map((one) => one.name),
        { leftOut: offer.leftOut, named },
      );
    const exists = offer === undefined ? asked.exists : 'contradiction';
    checking.calls.push({ ...noted, ...asked, exists, arguments: 'assumed' });
    return;
  }
  const owner = { owner: `The prompt ${quoted(target)}`, named };
  const verdict = fitArguments(checking.report, given, promptSchema(prompt), owner);
  checking.calls.push({ ...noted, exists: 'proved', arguments: verdict });
}

export interface ResourceUse {
  readonly server: string;
  readonly uri: string;
  /** Pointers to both. */
  readonly named: string;
  readonly uriAt: string;
  /** Of the variables of the URI. */
  readonly arguments: FitVerdict;
}

/** A template that matches no listed one is a mistake; a URI that is not listed may still exist. */
export function checkResourceUse(
  checking: CheckRun,
  { server, uri, named, uriAt, arguments: filled }: ResourceUse,
): void {
  const { offer, ...asked } = findServer(checking, server, undefined, named);
  const noted = { verb: 'resource', target: `${server} ${excerpt(uri)}`, pointer: named, arguments: filled } as const;
  if (offer === undefined) {
    checking.calls.push({ ...noted, ...asked });
    return;
  }
  const forms = [...offer.resources.map((one) => [one]), ...offer.resourceTemplates.map(formOf)];
  const form = formOf(uri);
  if (meetsAny(form, forms)) {
    const isListed = form.length === 1 && offer.resources.includes(uri);
    const isTemplate = offer.resourceTemplates.includes(uri);
    checking.calls.push({ ...noted, exists: isListed || isTemplate ? 'proved' : 'assumed' });
    return;
  }
  const isTemplate = /\{/.test(uri.replaceAll('${{', ''));
  const known = [...offer.resourceTemplates, ...offer.resources];
  checking.report({
    code: isTemplate ? 'unknown-resource' : 'unlisted-resource',
    pointer: uriAt,
    message: `The server ${quoted(server)} lists no resource${isTemplate ? ' template' : ''} that this can be.`,
    expected:
      known.length === 0
        ? 'a resource that the server lists; it lists none'
        : either(known.slice(0, 3).map((one) => excerpt(one))),
    found: uri,
    hint: didYouMean(uri, known),
  });
  checking.calls.push({ ...noted, exists: isTemplate ? 'contradiction' : 'assumed' });
}

/** The type of the child's outputs. `target` is `id` or `id@version`. */
export function checkChildRun(checking: CheckRun, target: string, named: string, given: GivenValue): Type {
  const { workflows, report, calls } = checking;
  const noted = { verb: 'workflow', target, pointer: named } as const;
  if (workflows === undefined) {
    calls.push({ ...noted, exists: 'assumed', arguments: 'assumed', reason: 'What is deployed is not known here.' });
    return types.any;
  }
  const child = workflows.get(target);
  if (child === undefined) {
    const [id = ''] = target.split('@');
    const isPinned = workflows.has(id);
    report({
      code: 'unknown-workflow',
      pointer: named,
      message: isPinned ? `The workflow ${quoted(id)} has no such version.` : `No workflow ${quoted(id)} is deployed.`,
      found: target,
      hint: didYouMean(target, [...workflows.keys()]) ?? 'deploy it before a run gets here',
    });
    calls.push({ ...noted, exists: 'assumed', arguments: 'assumed' });
    return types.any;
  }
  const owner = { owner: `The workflow ${quoted(target)}`, named };
  const verdict = checking.mayLookAt(target) ? fitArguments(report, given, child.inputs, owner) : 'assumed';
  calls.push({ ...noted, exists: 'proved', arguments: verdict });
  return child.outputs;
}
