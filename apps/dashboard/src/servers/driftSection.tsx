/** Lists tools that changed since workflows were checked, with a button that approves them. */
import { type Server, nameInPath } from '@baton/api/client';
import { countText } from '@baton/engine';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';

import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { toast } from '../parts/toast.tsx';

interface DriftSectionProps {
  readonly name: string;
  /** As the server was last read. */
  readonly drift: Server['drift'];
}

export function DriftSection({ name, drift }: DriftSectionProps) {
  const cache = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { data } = useQuery({
    queryKey: ['drift', name],
    queryFn: ({ signal }) => client.servers.approve(name, { preview: true }, { signal }),
    staleTime: 60_000,
  });
  const { mutate, isPending, error } = useMutation({
    mutationFn: (digest: string) => client.servers.approve(name, { digest }),
    // The server offers something else by now: the list shows it.
    onError: () => cache.invalidateQueries({ queryKey: ['drift', name] }),
    onSuccess: ({ data: approved }) => {
      const are = approved.length === 1 ? 'is' : 'are';
      toast(`${countText(approved.length, 'workflow')} ${are} checked against the tools of today.`);
      setAsking(false);
      void cache.invalidateQueries();
    },
  });
  const drifted = data?.data ?? [];
  if (drifted.length === 0) return null;
  return (
    <section className="section drift">
      <header>
        <h2>Its tools changed since workflows were checked</h2>
        <span className="end">
          <Button onClick={() => setAsking(true)}>Approve…</Button>
        </span>
      </header>
      {drifted.map(({ workflow, version, changes, refused }) => (
        <div key={workflow} className="col">
          <Link href={`/workflows/${nameInPath(workflow)}`}>
            {workflow}@{version}
          </Link>
          <p>{verdictOf(drift?.find((one) => one.workflow === workflow))}</p>
          {refused !== undefined && <p className="red">{refused}</p>}
          <ul>
            {changes.map(({ tool, kind, changes: lines }) => (
              <li key={tool}>
                <code>{tool}</code> <span className={kind === 'text' ? 'chip' : 'chip warn'}>{kind}</span>
                <pre className="dim">{lines.join('\n')}</pre>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {isAsking && (
        <ConfirmDialog
          title={`Approve the tools of ${name}?`}
          action={`Approve, and deploy ${countText(drifted.length, 'workflow')} again`}
          isHarmless
          isBusy={isPending}
          onConfirm={() => data !== undefined && mutate(data.digest)}
          onClose={() => setAsking(false)}
        >
          <p>Each workflow listed gets a new version with the same text. Started runs keep their version.</p>
          <ProblemNote error={error} />
        </ConfirmDialog>
      )}
    </section>
  );
}

/** What becomes of the runs of the workflow. Undefined: what the server offers was not read since it changed. */
function verdictOf(drift: NonNullable<Server['drift']>[number] | undefined): string | undefined {
  if (drift === undefined) return undefined;
  return drift.blocked === true
    ? 'No proof shows that it goes on as before with these tools, and without one no new run of it starts. Approve them, or deploy it again.'
    : 'New runs of it start: what changed does not stop them.';
}
