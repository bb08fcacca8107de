/** The parts that Baton runs on: Postgres, the queue, workers, retention, settings. */
import type { Worker } from '@baton/api/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { useQueue, useSettings, useWorkers } from '../api/figures.ts';
import { useReadiness } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { StatusMark } from '../parts/statusMark.tsx';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { toast } from '../parts/toast.tsx';
import { PageHead } from '../shell/pageHead.tsx';

import './system.css';

export function SystemPage() {
  return (
    <>
      <PageHead title="System" />
      <div className="body">
        <Parts />
        <QueueSection />
        <Workers />
        <Retention />
        <Settings />
      </div>
    </>
  );
}

const marks: Readonly<Record<string, string>> = { ok: 'succeeded', away: 'failed', off: 'retrying' };

function Parts() {
  const { data, error } = useReadiness();
  if (data === undefined) return error === null ? <Skeleton rows={2} /> : <ProblemNote error={error} />;
  return (
    <section className="section">
      <h2>Parts</h2>
      <ul className="figures">
        {Object.entries(data.parts).map(([name, { status, message }]) => (
          <li key={name}>
            <span className="dim small figure-name">{name}</span>
            <b className="row">
              <StatusMark status={marks[status] ?? 'pending'} /> {status}
            </b>
            {message !== undefined && <span className="small dim">{message}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function QueueSection() {
  const { data, error } = useQueue();
  if (data === undefined) return <ProblemNote error={error} />;
  const { queued, oldestAt, running, waiting, delayed } = data;
  const figures = { Queued: queued, Running: running, Waiting: waiting, Delayed: delayed };
  return (
    <section className="section">
      <h2>Runs</h2>
      <ul className="figures">
        {Object.entries(figures).map(([name, value]) => (
          <li key={name}>
            <span className="dim small">{name}</span>
            <b className="num">{value.toLocaleString('en')}</b>
          </li>
        ))}
        {oldestAt !== undefined && (
          <li>
            <span className="dim small">Oldest queued</span>
            <b>
              <TimeText at={oldestAt} />
            </b>
          </li>
        )}
      </ul>
    </section>
  );
}

function Workers() {
  const { data, error } = useWorkers();
  const [draining, setDraining] = useState<string>();
  const cache = useQueryClient();
  const drain = useMutation({
    mutationFn: (id: string) => client.system.drain(id),
    onSuccess: () => {
      toast('The worker takes no more runs.');
      setDraining(undefined);
      void cache.invalidateQueries({ queryKey: ['workers'] });
    },
  });
  return (
    <section className="section">
      <h2>Workers</h2>
      <ProblemNote error={error} />
      {data?.data.length === 0 && <Empty title="No worker has a heartbeat" command="npx baton worker" />}
      {data !== undefined && data.data.length > 0 && (
        <Table heads={['Worker', 'State', ['Runs', 'right'], ['Version', 'wide-only'], 'Heartbeat']} hasActions>
          {data.data.map((worker) => (
            <WorkerRow key={worker.id} worker={worker} onDrain={() => setDraining(worker.id)} />
          ))}
        </Table>
      )}
      {draining !== undefined && (
        <ConfirmDialog
          title={`Drain ${draining}?`}
          action="Drain the worker"
          isBusy={drain.isPending}
          onConfirm={() => drain.mutate(draining)}
          onClose={() => {
            setDraining(undefined);
            drain.reset();
          }}
        >
          <p>The worker takes no more runs, and hands over its runs. The process continues until it is stopped.</p>
          <ProblemNote error={drain.error} />
        </ConfirmDialog>
      )}
    </section>
  );
}

const workerMarks: Readonly<Record<Worker['status'], string>> = {
  working: 'succeeded',
  draining: 'waiting',
  silent: 'failed',
};

function WorkerRow({ worker, onDrain }: { readonly worker: Worker; readonly onDrain: () => void }) {
  const { id, host, pid, status, runs, concurrency, version, heartbeatAt } = worker;
  return (
    <tr>
      <td>
        <code>{id}</code>
        <div className="small dim">
          {host}, process {pid}
        </div>
      </td>
      <td>
        <span className={`status s-${workerMarks[status]}`}>
          <StatusMark status={workerMarks[status]} />
          <span className="word">{status}</span>
        </span>
      </td>
      <td className="right num">
        {runs}
        {concurrency !== undefined && <span className="faint"> / {concurrency}</span>}
      </td>
      <td className="wide-only dim num">{version}</td>
      <td>
        <TimeText at={heartbeatAt} />
      </td>
      <td className="right">
        {status === 'working' && (
          <Button isTiny look="danger" onClick={onDrain}>
            Drain…
          </Button>
        )}
      </td>
    </tr>
  );
}

function Retention() {
  const { data } = useQuery({ queryKey: ['retention'], queryFn: ({ signal }) => client.audit.retention({ signal }) });
  if (data === undefined) return null;
  return (
    <section className="section">
      <h2>Retention</h2>
      <dl className="facts">
        <dt>Runs are kept</dt>
        <dd>{data.runs}</dd>
        <dt>Records are kept</dt>
        <dd>{data.records}</dd>
        <dt>To be removed</dt>
        <dd className="num">
          {data.removable.runs.toLocaleString('en')} runs, {data.removable.records.toLocaleString('en')} records
        </dd>
        <dt>Who may remove</dt>
        <dd>
          {data.removal === 'own-role'
            ? 'only a Postgres role of its own'
            : 'Baton’s own connection; baton audit verify finds it'}
        </dd>
      </dl>
    </section>
  );
}

function Settings() {
  const { data } = useSettings();
  if (data === undefined) return null;
  return (
    <section className="section">
      <h2>Settings of the orchestrator</h2>
      <Table heads={['Name', 'Value', ['From', 'wide-only'], ['What it is', 'wide-only']]}>
        {data.data.map(({ name, value, source, description }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td className="break">
              {value === undefined || value === '' ? (
                <span className="faint">{value === undefined ? 'not set' : 'none'}</span>
              ) : (
                <code>{value}</code>
              )}
            </td>
            <td className="wide-only dim">{source}</td>
            <td className="wide-only dim">{description}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
