/** A status as sign, colour and word. The sign suffices without colour. */
import type { RunStatus, StepStatus } from '@baton/engine';

export type Status = RunStatus | StepStatus;

const paths: Readonly<Record<Status, React.ReactNode>> = {
  queued: <circle cx="8" cy="8" r="5.5" strokeDasharray="2.2 2.1" />,
  pending: <circle cx="8" cy="8" r="5.5" strokeDasharray="2.2 2.1" />,
  running: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <circle className="pulse" cx="8" cy="8" r="2.75" fill="currentColor" stroke="none" />
    </>
  ),
  waiting: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 4.8V8l2.2 1.6" />
    </>
  ),
  retrying: <path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3" />,
  succeeded: (
    <>
      <circle cx="8" cy="8" r="6.5" fill="var(--f)" stroke="none" />
      <path d="m5.2 8.2 2 2 3.6-4" stroke="var(--bg-raised)" />
    </>
  ),
  failed: (
    <>
      <circle cx="8" cy="8" r="6.5" fill="var(--f)" stroke="none" />
      <path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4" stroke="var(--bg-raised)" />
    </>
  ),
  cancelled: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m4.2 11.8 7.6-7.6" />
    </>
  ),
  skipped: <path d="M3 11c0-6 8-6 9.5-1M12.8 6v4.2H8.6" />,
  unknown: (
    <>
      <path d="M8 2 14.5 13.5h-13z" fill="var(--f)" stroke="var(--f)" strokeLinejoin="round" />
      <path d="M8 6.2v3.4m0 1.7v.2" stroke="var(--bg-raised)" />
    </>
  ),
};

const isKnown = (status: string): status is Status => Object.hasOwn(paths, status);

export function StatusMark({ status, size = 14 }: { readonly status: string; readonly size?: number }) {
  return (
    <svg
      className={`mark s-${status}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      aria-hidden="true"
    >
      {isKnown(status) ? paths[status] : <circle cx="8" cy="8" r="5.5" />}
    </svg>
  );
}

const live = new Set<string>(['running', 'waiting', 'retrying', 'queued']);

/** `word`: replaces the status, such as `cancelling` while a run is being cancelled. */
export function StatusText({ status, word = status }: { readonly status: string; readonly word?: string }) {
  return (
    <span className={`status s-${status}${live.has(status) ? ' live' : ''}`}>
      <StatusMark status={status} />
      <span className="word">{word}</span>
    </span>
  );
}
