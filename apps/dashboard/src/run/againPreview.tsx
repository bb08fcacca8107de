/** Previews a retry or rerun: its version, kept outcomes and repeated calls. */
import type { RepeatedCall, RerunResult } from '@baton/api/client';
import { countText, keptText, saidSentence, undoWords } from '@baton/engine';
import { Link } from 'wouter';

import { useWorkflow } from '../api/queries.ts';
import { Warning } from '../parts/notes.tsx';
import { shortRunId } from '../runs/shortRunId.ts';

const shownMax = 20;

/** A run of a list will do. */
export interface NamedRun {
  readonly id: string;
  readonly workflow: string;
  readonly version: number | undefined;
}

interface VersionChoiceProps {
  readonly run: NamedRun;
  /** Undefined: the version of the run. */
  readonly chosen: number | undefined;
  readonly onChoose: (version: number | undefined) => void;
}

const versionsMax = 50;

/** Hidden if only one version was deployed. */
export function VersionChoice({ run: { workflow, version: own }, chosen, onChoose }: VersionChoiceProps) {
  const { data: newest } = useWorkflow(own === undefined ? undefined : workflow);
  if (newest === undefined || own === undefined || newest.version === 1) return null;
  const others = Array.from({ length: Math.min(newest.version, versionsMax) }, (_, at) => newest.version - at);
  return (
    <label className="field">
      <span className="label">On the version</span>
      <select
        className="input"
        value={chosen ?? own}
        onChange={({ target }) => onChoose(Number(target.value) === own ? undefined : Number(target.value))}
      >
        {[...new Set([...others, own])].map((version) => (
          <option key={version} value={version}>
            {version}
            {version === own && ', as this run'}
            {version === newest.version && ', the newest'}
          </option>
        ))}
      </select>
    </label>
  );
}

function lookupText({ by, target, happened }: NonNullable<RepeatedCall['lookup']>): string {
  if (happened === false) return 'it did not happen';
  return by === 'person'
    ? 'a person is asked first'
    : `looked up first${target === undefined ? '' : ` with ${target}`}`;
}

/** Those that nothing looks up first. */
export const writesIn = (preview: Pick<RerunResult, 'again'> | undefined): number =>
  (preview?.again ?? []).filter(({ effect, lookup }) => effect === 'write' && lookup === undefined).length;

/** Lists repeated writes first, then missing steps, kept outcomes and other repeated calls. */
export function AgainPreview({
  version,
  newerVersion,
  retriedAs,
  retryInstead,
  kept,
  again,
  unread = 0,
  unmatched,
  notUndone,
}: RerunResult) {
  const writes = writesIn({ again });
  return (
    <div className="col">
      {retriedAs !== undefined && (
        <Warning>
          The run <Link href={`/runs/${retriedAs}`}>{shortRunId(retriedAs)}</Link> continues this one already.
        </Warning>
      )}
      {retryInstead !== undefined && (
        <Warning>
          This is a child run of <Link href={`/runs/${retryInstead}`}>{shortRunId(retryInstead)}</Link>. A retry of that
          run goes on from this one too and keeps what was done; after a retry of the child alone it would make its
          calls again.
        </Warning>
      )}
      {writes > 0 && <Warning>{countText(writes, 'call')} with the effect write would be made again.</Warning>}
      {unread > 0 && (
        <Warning>What {countText(unread, 'run')} below it or before it did is not known any more.</Warning>
      )}
      {newerVersion !== undefined && (
        <p>
          Version {newerVersion} is deployed; this goes on with version {version}.
        </p>
      )}
      {unmatched.length > 0 && (
        <p className="dim">
          Steps that version {version} does not have: {unmatched.slice(0, 3).join(', ')}
          {unmatched.length > 3 && ` and ${unmatched.length - 3} more`}
        </p>
      )}
      {notUndone !== undefined && (
        <Warning>What the run before could not undo is kept: {notUndone.slice(0, 3).join(', ')}</Warning>
      )}
      <p>
        {keptText(kept)} {again.length === 0 && unread === 0 && 'No call of the old run is made again.'}
        {again.length > 0 && `${countText(again.length, 'call')} may be made again:`}
      </p>
      <ul className="again">
        {again.slice(0, shownMax).map(({ path, target, effect, outcome, undoEnd, lookup, said, formerly }) => (
          <li key={`${path} ${formerly ?? ''}`} className="row">
            <span className={`chip ${effect ?? 'read'}`}>{effect ?? 'read'}</span>
            <span className="breaks grow">
              {path} <span className="faint">{target}</span>
            </span>
            <span className="small dim">
              {outcome} before{undoEnd !== undefined && `, ${undoWords[undoEnd]}`}
              {lookup !== undefined && `, ${lookupText(lookup)}`}
              {said !== undefined && `; ${saidSentence({ ...said, at: Date.parse(said.at) }, Date.now())}`}
              {formerly !== undefined && `, as ${formerly}`}
            </span>
          </li>
        ))}
        {again.length > shownMax && <li className="dim small">and {again.length - shownMax} more</li>}
      </ul>
    </div>
  );
}
