/** Calls that were sent and not answered: each may or may not have happened, and a person finds out. */
import type { LostAnswers } from '@baton/api/client';
import { countText } from '@baton/engine';
import { useState } from 'react';

import { useUnknownOutcomes } from '../api/unknownOutcomes.ts';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { InstantText } from '../parts/timeText.tsx';
import { PageHead } from '../shell/pageHead.tsx';
import { UnknownRow } from './unknownRow.tsx';

import '../run/run.css';
import './unknown.css';

export function UnknownPage() {
  const [isWhole, setIsWhole] = useState(false);
  const { data, error, isPending } = useUnknownOutcomes({ isWhole });
  return (
    <>
      <PageHead
        title="Unknown calls"
        actions={
          <label className="row small">
            <input type="checkbox" checked={isWhole} onChange={({ target }) => setIsWhole(target.checked)} />
            Also of runs that were continued
          </label>
        }
      />
      <div className="body">
        <p className="sr" role="status">
          {data !== undefined && countText(data.count, 'unknown outcome')}
        </p>
        {isPending && <Skeleton rows={4} />}
        <ProblemNote error={error} />
        {data?.count === 0 && (
          <Empty title="Every outcome is known" command="npx baton runs unknown">
            A write that was sent, and whose answer is lost, appears here until it is known whether it happened.
          </Empty>
        )}
        {data?.data.map((group) => (
          <Group key={`${group.code} ${group.server} ${group.worker} ${group.first}`} group={group} />
        ))}
        {data?.cut === true && <p className="dim">There are more. `baton runs unknown --to` lists older ones.</p>}
      </div>
    </>
  );
}

/** What lost the answers, with the calls that were in flight. */
function Group({ group: { server, worker, code, cause, first, last, calls } }: { readonly group: LostAnswers }) {
  return (
    <section className="lost">
      <h2>
        {headText(code, server, worker)} <InstantText at={last} />
        <span className="dim">
          , with {countText(calls.length, 'call')} in flight
          {Date.parse(last) - Date.parse(first) > 60_000 && (
            <>
              {' '}
              since <InstantText at={first} />
            </>
          )}
        </span>
      </h2>
      <p className="small dim why">
        <code>{code}</code> {cause}
      </p>
      <Table
        hasActions
        heads={['Call', ['Run', 'wide-only'], ['Sent', 'wide-only very-wide-only'], ['What finds out', 'wide-only']]}
        look="unknown-calls"
      >
        {calls.map((call) => (
          <UnknownRow key={`${call.run} ${call.step} ${call.attempt}`} call={call} />
        ))}
      </Table>
    </section>
  );
}

function headText(code: string, server = 'A server', worker = ''): string {
  switch (code) {
    case 'worker-lost':
      return `The worker ${worker} died before`;
    case 'connection-lost':
      return `The connection to ${server} broke at`;
    case 'timeout':
      return `${server} did not answer in time, last at`;
    default:
      return `The answer of ${server} was lost at`;
  }
}
