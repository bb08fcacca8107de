/** Says that the server is away, or that a part of it is; goes when that is over. */
import { durationText } from '@baton/primitives';
import { CloudOff, TriangleAlert } from 'lucide-react';

import { useCutSince } from '../api/connectionState.ts';
import { useReadiness } from '../api/queries.ts';
import { useNow } from '../parts/time.ts';

/** Shorter cuts show no banner. */
const quietMs = 1_500;

export function ConnectionBanner() {
  const cutSince = useCutSince();
  const now = useNow();
  const { data } = useReadiness();
  if (cutSince !== undefined && now - cutSince > quietMs) {
    return (
      <div className="banner bad" role="status">
        <CloudOff size={15} />
        <span>
          The connection is lost since {durationText(now - cutSince)}. What you see may be old; it continues by itself.
        </span>
      </div>
    );
  }
  if (data === undefined || data.status === 'ok') return null;
  const parts = Object.entries(data.parts).filter(([, { status }]) => status !== 'ok');
  return (
    <div className={`banner${data.status === 'down' ? ' bad' : ''}`} role="status">
      <TriangleAlert size={15} />
      <span>
        {parts.map(([name, { message, status }]) => `${name}: ${message ?? status}`).join(' ')}{' '}
        {data.status === 'degraded' ? 'Runs continue, later than they could.' : 'Nothing can be done without it.'}
      </span>
    </div>
  );
}
