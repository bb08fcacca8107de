import type { Server, ServerStats } from '@baton/api/client';

import { StatusMark } from '../parts/statusMark.tsx';

const looks: Readonly<Record<Server['state'], readonly [mark: string, means: string]>> = {
  disabled: ['skipped', 'It is switched off in the configuration.'],
  idle: ['pending', 'No call needed it yet; the first one opens it.'],
  opening: ['running', 'It is being opened.'],
  ready: ['succeeded', 'It answers.'],
  failing: ['failed', 'It could not be opened.'],
  resting: ['retrying', 'It failed so often that Baton waits before the next try.'],
};

export function ServerState({ state }: { readonly state: Server['state'] }) {
  const [mark, means] = looks[state];
  return (
    <span className={`status s-${mark}`} title={means}>
      <StatusMark status={mark} />
      <span className="word">{state}</span>
    </span>
  );
}

/** What is the matter in one process is the matter; else what is most ready. */
const firstTold = ['failing', 'resting', 'ready', 'opening', 'idle', 'disabled'] as const;

/** The state in all processes of Baton, so that the page says one thing; `own`: where they are not known. */
export const stateIn = (processes: ServerStats['processes'] | undefined, own: Server['state']): Server['state'] => {
  const states = new Set((processes ?? []).map(({ state }) => state));
  return firstTold.find((state) => states.has(state)) ?? own;
};
