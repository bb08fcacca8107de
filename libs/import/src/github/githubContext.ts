/** The context `github` of GitHub Actions: what is known from the file, from the event of a webhook, or as an input. */
import { literal } from '@baton/expressions';

import { type PathPart, joined } from '../expression/celOf.ts';
import { UnmappedError } from '../expression/syntax.ts';
import type { WrittenPlace } from '../importing.ts';
import { type GithubEvents, type GithubNames, inputName, noteToken } from './githubNames.ts';

const ofAnyEvent: Readonly<Record<string, string>> = {
  repository: 'inputs.event.repository.full_name',
  repository_owner: 'inputs.event.repository.owner.login',
  actor: 'inputs.event.sender.login',
  triggering_actor: 'inputs.event.sender.login',
};

const pullRequest: Readonly<Record<string, string>> = {
  ref: '"refs/pull/" + string(inputs.event.number) + "/merge"',
  ref_name: 'string(inputs.event.number) + "/merge"',
  ref_type: '"branch"',
  sha: 'inputs.event.pull_request.merge_commit_sha',
  head_ref: 'inputs.event.pull_request.head.ref',
  base_ref: 'inputs.event.pull_request.base.ref',
};

/** https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows */
const ofOneEvent: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  push: {
    ref: 'inputs.event.ref',
    ref_name: 'replace(replace(inputs.event.ref, "refs/heads/", "", 1), "refs/tags/", "", 1)',
    ref_type: '(startsWith(inputs.event.ref, "refs/tags/") ? "tag" : "branch")',
    sha: 'inputs.event.after',
    head_ref: '""',
    base_ref: '""',
  },
  pull_request: pullRequest,
};

export function ofContext(
  { events, job }: GithubNames,
  place: WrittenPlace,
  key: string,
  rest: readonly PathPart[],
): string {
  const { hooks, takeInput } = events;
  switch (key) {
    case 'workflow':
      return literal(events.workflow);
    case 'job':
      if (job === undefined) throw new UnmappedError('no job is here');
      return literal(job);
    case 'event_name':
      return events.takeEventName();
    case 'run_number':
      note(place, 'github.run_number counts runs; here it is the id of the run.');
      return 'run.id';
    case 'run_id':
      return 'run.id';
    case 'token':
      noteToken(place);
      return 'secrets.GITHUB_TOKEN';
    case 'event':
      return ofEvent(events, place, rest);
  }
  if (hooks.length > 0 && (Object.hasOwn(ofAnyEvent, key) || Object.hasOwn(pullRequest, key))) {
    noteAbsentEvent(events, place, `github.${key}`);
    return ofAnyEvent[key] ?? byEvent(events, key);
  }
  note(place, `github.${key} becomes the input "${inputName(key)}", which the caller of the workflow has to give.`);
  return `inputs.${takeInput(key)}`;
}

function ofEvent(events: GithubEvents, place: WrittenPlace, [first, ...rest]: readonly PathPart[]): string {
  if (first === 'inputs') {
    const [name = '', ...deeper] = rest;
    const input = inputName(String(name));
    // All of them are texts there.
    return events.typed.has(input) ? `string(inputs.${input})` : joined(`inputs.${input}`, deeper);
  }
  if (events.hooks.length === 0) throw new UnmappedError('no event starts this workflow');
  noteAbsentEvent(events, place, 'github.event');
  return joined('inputs.event', first === undefined ? [] : [first, ...rest]);
}

/** A value that each event has at another place. */
function byEvent({ hooks, takeEventName }: GithubEvents, key: string): string {
  const found = hooks.map((hook) => [hook, ofOneEvent[hook.replace(/_target$/, '')]?.[key]] as const);
  const without = found.find(([, cel]) => cel === undefined);
  if (without !== undefined) throw new UnmappedError(`github.${key} has no counterpart for the event ${without[0]}`);
  const forms = Object.entries(Object.groupBy(found, ([, cel]) => cel ?? ''));
  const [[last] = [''], ...others] = forms.toReversed();
  if (others.length === 0) return last.includes(' ') && !last.startsWith('(') ? `(${last})` : last;
  const name = takeEventName();
  const cases = others.map(([cel, hooksOf = []]) => {
    const names = hooksOf.map(([hook]) => literal(hook)).join(', ');
    return `${name} in [${names}] ? ${cel} : `;
  });
  return `(${cases.join('')}${last})`;
}

function noteAbsentEvent({ hasOthers }: GithubEvents, place: WrittenPlace, what: string): void {
  if (!hasOthers) return;
  note(place, `${what} is read from the event of the webhook, which a run that is started otherwise does not have.`);
}

const note = ({ importing, pointer }: WrittenPlace, message: string): void =>
  importing.noteOnce('differs', { pointer, message });
