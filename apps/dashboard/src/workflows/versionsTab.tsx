/** The versions of a workflow: changes of the text, and the pinned tools. */
import { type JsonObject, isObject } from '@baton/primitives';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { useWorkflow } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { DiffView } from '../parts/diffView.tsx';
import { prettyJson } from '../parts/json.ts';
import { ProblemNote, Skeleton } from '../parts/notes.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { toast } from '../parts/toast.tsx';

const shownMax = 50;

export function VersionsTab({ id, newest }: { readonly id: string; readonly newest: number }) {
  const [chosen, setChosen] = useState(newest);
  const numbers = Array.from({ length: Math.min(newest, shownMax) }, (_, at) => newest - at);
  return (
    <div className="versions">
      <ul aria-label="Versions">
        {numbers.map((version) => (
          <li key={version}>
            <button type="button" aria-current={version === chosen} onClick={() => setChosen(version)}>
              <b className="num">{version}</b>
              {version === newest && <span className="chip good">newest</span>}
            </button>
          </li>
        ))}
      </ul>
      <Version key={chosen} id={id} version={chosen} newest={newest} />
    </div>
  );
}

function Version({ id, version, newest }: { readonly id: string; readonly version: number; readonly newest: number }) {
  const { data, error } = useWorkflow(id, version);
  const { data: before } = useWorkflow(version > 1 ? id : undefined, version - 1);
  const mayWrite = useMay('workflows:write');
  const [isRolling, setRolling] = useState(false);
  if (data === undefined) return error === null ? <Skeleton /> : <ProblemNote error={error} />;
  return (
    <div className="body grow">
      <div className="row wrap">
        <span className="dim">
          {data.deployedBy} deployed it <TimeText at={data.deployedAt} />
        </span>
        {mayWrite && version < newest && <Button onClick={() => setRolling(true)}>Roll back to this…</Button>}
      </div>
      <section className="section">
        <h2>{version === 1 ? 'Text' : `Text, against version ${version - 1}`}</h2>
        <DiffView before={before?.source ?? ''} after={data.source} />
      </section>
      <section className="section">
        <h2>Tools that it was checked against</h2>
        {before === undefined ? (
          <Pins pins={data.pins} />
        ) : (
          <DiffView before={pinText(before.pins)} after={pinText(data.pins)} />
        )}
      </section>
      {isRolling && <RollBack id={id} version={version} source={data.source} onClose={() => setRolling(false)} />}
    </div>
  );
}

const pinText = (pins: unknown): string => prettyJson(pins);

interface Pin {
  readonly name: string;
  readonly effect: string;
  readonly from: string;
  readonly contract: string;
}

const textIn = (value: JsonObject, key: string): string => {
  const text = value[key];
  return typeof text === 'string' ? text : '';
};

function pinsIn(pins: unknown): Pin[] {
  if (!isObject(pins)) return [];
  return Object.entries(pins as JsonObject).flatMap(([name, pin]) =>
    isObject(pin)
      ? [{ name, effect: textIn(pin, 'effect'), from: textIn(pin, 'from'), contract: textIn(pin, 'contract') }]
      : [],
  );
}

function Pins({ pins }: { readonly pins: unknown }) {
  const all = pinsIn(pins);
  if (all.length === 0) return <p className="dim">It calls no tool.</p>;
  return (
    <ul className="col">
      {all.map(({ name, effect, from, contract }) => (
        <li key={name} className="row wrap">
          <span className={`chip ${effect}`}>{effect}</span>
          <code>{name}</code>
          <span className="small dim">decided by {from}</span>
          <code className="small faint">{contract.slice(0, 12)}</code>
        </li>
      ))}
    </ul>
  );
}

interface RollBackProps {
  readonly id: string;
  readonly version: number;
  readonly source: string;
  readonly onClose: () => void;
}

function RollBack({ id, version, source, onClose }: RollBackProps) {
  const cache = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.workflows.deploy(source),
    onSuccess: (deployed) => {
      toast(`The text of version ${version} is deployed as version ${deployed.version}.`);
      void cache.invalidateQueries({ queryKey: ['workflow', id] });
      void cache.invalidateQueries({ queryKey: ['workflows'] });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Roll back to version ${version}?`}
      action="Deploy its text again"
      isHarmless
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>
        The text of version {version} is checked against the tools of today and deployed as a new version. Started runs
        keep theirs.
      </p>
      <ProblemNote error={error} />
    </ConfirmDialog>
  );
}
