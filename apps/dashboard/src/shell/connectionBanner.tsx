/** A banner while the server, or a part of it, is unavailable. */
import { durationText } from '@baton/primitives';
import { CloudOff, TriangleAlert } from 'lucide-react';

import { useCutSince } from '../api/connectionState.ts';
import { useReadiness } from '../api/queries.ts';
import { followingScopes, useMay } from '../api/session.ts';
import { useNow } from '../parts/time.ts';

/** Shorter interruptions show no banner. */
const quietMs = 1_500;

export function ConnectionBanner() {
  const cutSince = useCutSince();
  const now = useNow();
  const { data, error, dataUpdatedAt } = useReadiness();
  const mayFollow = useMay(...followingScopes);
  // The server answers, and reports itself which part is down.
  const isAnswering = data !== undefined && error === null;
  if (isAnswering && data.status !== 'ok') return <PartsAway readiness={data} />;
  // Without a stream nothing but the last answer says when the connection was lost.
  const lostSince = mayFollow || error === null ? cutSince : dataUpdatedAt;
  if (lostSince === undefined || now - lostSince <= quietMs) return null;
  return (
    <div className="banner bad" role="status">
      <CloudOff size={15} />
      <span>
        The connection is lost since {durationText(now - lostSince)}. What you see may be old; it continues by itself.
      </span>
    </div>
  );
}

/** Where runs do not continue. A fence says it itself. */
const effects: Readonly<Record<string, string>> = { down: 'Nothing can be done without it.', fenced: '' };

type Readiness = NonNullable<ReturnType<typeof useReadiness>['data']>;

function PartsAway({ readiness: { status, parts } }: { readonly readiness: Readiness }) {
  const away = Object.entries(parts).filter(([, part]) => part.status !== 'ok');
  // A wrong clock, or a retention that fails, delays no run.
  const continuing = parts.queue.status === 'ok' ? 'Runs continue.' : 'Runs continue, later than they could.';
  return (
    <div className={`banner${status in effects ? ' bad' : ''}`} role="status">
      <TriangleAlert size={15} />
      <span>
        {away.map(([name, { message, status: state }]) => `${name}: ${message ?? state}`).join(' ')}{' '}
        {effects[status] ?? continuing}
      </span>
    </div>
  );
}
