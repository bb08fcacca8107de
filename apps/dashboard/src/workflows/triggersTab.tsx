/** The triggers of a workflow: schedules with their next times, webhooks and polls with their last outcomes, tools, resources. */
import type { Hook, Poll, WorkflowVersion } from '@baton/api/client';
import { Link } from 'wouter';

import { apiAddress } from '../api/client.ts';
import { useHooks, usePolls, useSchedulesOf } from '../api/figures.ts';
import { CopyButton } from '../parts/copyButton.tsx';
import { Empty, Skeleton } from '../parts/notes.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { useGraphOf } from '../run/useRunOutline.ts';
import { timesWords } from '../schedules/timesWords.ts';

const chipClass: Readonly<Record<Hook['deliveries'][number]['outcome'], string>> = {
  started: 'chip good',
  repeated: 'chip',
  ignored: 'chip',
  refused: 'chip bad',
};

/** Descriptions of the triggers that have no state of their own. */
const starts: Readonly<Record<string, { readonly title: string; readonly text: string }>> = {
  tool: { title: 'Tool', text: 'MCP clients of /mcp call it. Each call starts a run, and gets its outputs.' },
  resource: { title: 'Resource', text: 'A run starts when the content of the resource changes.' },
  run: { title: 'Run', text: 'A run of these workflows that ends as the trigger says starts another one.' },
  device: { title: 'Device', text: 'A text that a device sends starts a run.' },
};

export function TriggersTab({ version }: { readonly version: Pick<WorkflowVersion, 'id' | 'source' | 'pins'> }) {
  const { id } = version;
  const { data: schedules } = useSchedulesOf(id);
  const { data: hooks } = useHooks(id);
  const { data: polls } = usePolls(id);
  const { data: graph, isPending } = useGraphOf(version);
  const triggers = (graph?.nodes ?? []).filter(({ kind }) => kind === 'trigger');
  if (isPending) return <Skeleton />;
  if (triggers.length === 0) {
    return (
      <Empty title="Nothing starts it by itself" command={`npx baton run ${id}`}>
        A schedule, a webhook, a tool or a resource under <code>on:</code> would. You can run it from here, over REST
        and from an MCP client.
      </Empty>
    );
  }
  return (
    <div className="body">
      {(schedules?.data ?? []).map(({ id: schedule, times, timezone, next }) => (
        <section key={schedule} className="section">
          <h2>
            {timesWords(times)} <code className="chip">{times}</code> <span className="dim">{timezone}</span>
          </h2>
          <p className="dim">
            Next: {next.length === 0 ? 'paused' : <TimeText at={next[0]} />}.{' '}
            <Link href="/schedules">All schedules</Link>
          </p>
        </section>
      ))}
      {(hooks?.data ?? []).map(({ hook, path, scheme, secret, deliveries }) => (
        <section key={hook} className="section">
          <h2>Webhook {hook}</h2>
          <p className="row wrap">
            <code className="chip">{`${apiAddress()}${path}`}</code>
            <CopyButton text={`${apiAddress()}${path}`} label="Copy the address" />
            <span className="dim small">
              signed as {scheme} with the secret {secret}
            </span>
          </p>
          {deliveries.length === 0 && <p className="dim">No delivery came in the last 7 days.</p>}
          <ul className="col">
            {deliveries.map(({ at, outcome, reason, runId }, index) => (
              <li key={`${at} ${index}`} className="row wrap">
                <span className={chipClass[outcome]}>{outcome}</span>
                <TimeText at={at} />
                {runId !== undefined && <Link href={`/runs/${runId}`}>Run</Link>}
                <span className="dim">{reason}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {(polls?.data ?? []).map((poll) => (
        <PollTrigger key={poll.id} poll={poll} />
      ))}
      {triggers.map(({ pointer, label }) => (
        <OtherTrigger key={pointer} label={label} />
      ))}
    </div>
  );
}

function PollTrigger({ poll }: { readonly poll: Poll }) {
  const { workflow, tool, event, every, keys, paused, next, last, failing } = poll;
  return (
    <section className="section">
      <h2>
        {tool === undefined ? 'Event' : 'Poll'} <code className="chip">{tool ?? event}</code>{' '}
        <span className="dim">every {every}</span>
      </h2>
      <p className="dim">
        <NextPoll next={next} paused={paused} /> Seen so far: {keys}.{' '}
        <Link href={`/runs?trigger=${tool === undefined ? 'event' : 'poll'}&workflow=${workflow}&time=all`}>
          Its runs
        </Link>
      </p>
      {failing !== undefined && (
        <p className="row wrap">
          <span className="chip bad">failing</span>
          <TimeText at={failing.since} />
          <span className="dim">{failing.reason}</span>
        </p>
      )}
      {last !== undefined && <LastPoll last={last} />}
    </section>
  );
}

function NextPoll({ next, paused }: { readonly next: string | undefined; readonly paused: boolean }) {
  if (paused || next === undefined) return paused ? 'Paused.' : 'Not polled yet.';
  return (
    <>
      Next: <TimeText at={next} />.
    </>
  );
}

function LastPoll({ last }: { readonly last: NonNullable<Poll['last']> }) {
  const { at, items, started, left, passedOver, repeated, refused, gap, reasons, runs, refusals } = last;
  const counts = [
    `${items} ${items === 1 ? 'item' : 'items'}, of which ${started} started a run`,
    ...(left > 0 ? [`${left} left for the next poll`] : []),
    ...(passedOver > 0 ? [`${passedOver} only marked as seen`] : []),
    ...(repeated > 0 ? [`${repeated} with the key of another one`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(gap === true ? ['the server has lost events'] : []),
  ];
  return (
    <>
      <p className="row wrap">
        <span className={started > 0 ? 'chip good' : 'chip'}>answered</span>
        <TimeText at={at} />
        <span>{counts.join(', ')}</span>
        {runs.map((run) => (
          <Link key={run} href={`/runs/${run}`}>
            Run
          </Link>
        ))}
      </p>
      <ul className="col">
        {reasons.map(({ reason, items: count }) => (
          <li key={reason} className="row wrap">
            <span className="chip bad">{count} refused</span>
            <span>item {keysRefusedFor(reason, refusals).join(', ')}</span>
            <span className="dim">{reason}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Some of them. */
const keysRefusedFor = (reason: string, refusals: NonNullable<Poll['last']>['refusals']): readonly string[] =>
  refusals.filter((one) => one.reason === reason).map(({ key, index }) => key ?? `${index}`);

/** `label`: the kind of the trigger, a space, and its name. */
function OtherTrigger({ label }: { readonly label: string }) {
  const [kind = '', ...named] = label.split(' ');
  const start = starts[kind];
  if (start === undefined) return null;
  return (
    <section className="section">
      <h2>
        {start.title} {named.length > 0 && <code className="chip">{named.join(' ')}</code>}
      </h2>
      <p className="dim">{start.text}</p>
    </section>
  );
}
