/** The page of one workflow: its graph, text, versions, triggers and runs. */
import { nameInPath } from '@baton/api/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Ellipsis, Pause, Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';

import { client } from '../api/client.ts';
import { useWorkflow, useWorkflows } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copyButton.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { GraphSkeleton, GraphView } from '../parts/graph/graphView.tsx';
import { Menu } from '../parts/menu.tsx';
import { ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { toast, toastError } from '../parts/toast.tsx';
import { useGraphOf } from '../run/useRunOutline.ts';
import { PageHead } from '../shell/pageHead.tsx';
import { OverviewTab } from './overviewTab.tsx';
import { RunDialog } from './runDialog.tsx';
import { StateTab } from './stateTab.tsx';
import { TriggersTab } from './triggersTab.tsx';
import { VersionsTab } from './versionsTab.tsx';

import '../runs/runs.css';
import './workflows.css';

const views = ['overview', 'graph', 'source', 'versions', 'triggers', 'state'] as const;
type View = (typeof views)[number];

const names: Readonly<Record<View, string>> = {
  overview: 'Overview',
  graph: 'Graph',
  source: 'Source',
  versions: 'Versions',
  triggers: 'Triggers',
  state: 'State',
};

export function WorkflowPage({ id }: { readonly id: string }) {
  const search = new URLSearchParams(useSearch());
  const [, go] = useLocation();
  const { data, error } = useWorkflow(id);
  const isOpen = data !== undefined || error === null;
  const view = views.find((one) => one === search.get('view')) ?? 'overview';
  const close = (): void => go(`/workflows/${nameInPath(id)}`, { replace: true });
  return (
    <>
      <PageHead
        title={
          <>
            {id}
            {data !== undefined && <span className="faint">@{data.version}</span>}
          </>
        }
        windowTitle={id}
        actions={error === null && <WorkflowActions id={id} />}
      >
        {data !== undefined && 'title' in data && typeof data.title === 'string' && (
          <span className="dim cut" title={data.title}>
            {data.title}
          </span>
        )}
      </PageHead>
      {error !== null && (
        <div className="body">
          <ProblemNote error={error} />
        </div>
      )}
      {error === null && (
        <Tabs
          label="Views of the workflow"
          tabs={views.map((name) => ({ name, label: names[name] }))}
          chosen={view}
          onChoose={(chosen) => go(`/workflows/${nameInPath(id)}${chosen === 'overview' ? '' : `?view=${chosen}`}`)}
        />
      )}
      {data === undefined &&
        error === null &&
        view !== 'overview' &&
        (view === 'graph' ? <GraphSkeleton /> : <Skeleton />)}
      {data !== undefined && view === 'graph' && <Graph version={data} />}
      {data !== undefined && view === 'source' && (
        <div className="body">
          <SourceView source={data.source} />
        </div>
      )}
      {data !== undefined && view === 'versions' && <VersionsTab id={id} newest={data.version} />}
      {data !== undefined && view === 'triggers' && <TriggersTab version={data} />}
      {data !== undefined && view === 'state' && <StateTab id={id} />}
      {isOpen && view === 'overview' && <OverviewTab id={id} />}
      {isOpen && search.get('do') === 'run' && <RunDialog id={id} onClose={close} />}
    </>
  );
}

function Graph({ version }: { readonly version: Parameters<typeof useGraphOf>[0] }) {
  const { data, error } = useGraphOf(version);
  if (data !== undefined) return <GraphView graph={data} />;
  return error === null ? <GraphSkeleton /> : <ProblemNote error={error} />;
}

function WorkflowActions({ id }: { readonly id: string }) {
  const mayRun = useMay('runs:write');
  const mayWrite = useMay('workflows:write');
  const [, go] = useLocation();
  const cache = useQueryClient();
  const { data: all = [] } = useWorkflows();
  const [isDeleting, setDeleting] = useState(false);
  const own = all.find((one) => one.id === id);
  const isPaused = own !== undefined && 'pausedAt' in own && own.pausedAt !== undefined;
  const pause = useMutation({
    mutationFn: () => (isPaused ? client.workflows.resume(id) : client.workflows.pause(id)),
    onSuccess: () => {
      toast(isPaused ? `Triggers start ${id} again.` : `No trigger starts ${id} now. Its runs continue.`);
      void cache.invalidateQueries({ queryKey: ['workflows'] });
    },
    onError: toastError,
  });
  return (
    <>
      {isPaused && <span className="chip warn">paused</span>}
      {mayRun && (
        <Button look="main" icon={<Play size={13} />} onClick={() => go(`/workflows/${nameInPath(id)}?do=run`)}>
          Run
        </Button>
      )}
      {mayWrite && (
        <Link href={`/workflows/${nameInPath(id)}/edit`} className="btn">
          <Pencil size={13} /> Edit
        </Link>
      )}
      {mayWrite && (
        <Menu
          label="More"
          icon={<Ellipsis size={15} />}
          items={[
            {
              label: isPaused ? 'Resume' : 'Pause triggers',
              icon: isPaused ? <Play size={14} /> : <Pause size={14} />,
              onChoose: () => pause.mutate(),
            },
            { label: 'Delete…', icon: <Trash2 size={14} />, isDanger: true, onChoose: () => setDeleting(true) },
          ]}
        />
      )}
      {isDeleting && <DeleteDialog id={id} onClose={() => setDeleting(false)} />}
    </>
  );
}

function DeleteDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [, go] = useLocation();
  const cache = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.workflows.delete(id),
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: ['workflows'] });
      go('/workflows');
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${id}?`}
      action={`Delete ${id}`}
      isBusy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      <p>
        It can no longer be started, and its schedules and webhooks end. Started runs continue, and its versions are
        kept.
      </p>
      <ProblemNote error={error} />
    </ConfirmDialog>
  );
}

/** The text of a version, with line numbers. */
function SourceView({ source }: { readonly source: string }) {
  const lines = source.replace(/\n$/, '').split('\n');
  return (
    <div className="code source">
      <span className="copy">
        <CopyButton text={source} label="Copy the source" />
      </span>
      <div className="source-lines">
        <pre className="faint" aria-hidden="true">
          {lines.map((_, at) => `${at + 1}\n`).join('')}
        </pre>
        <pre>{source}</pre>
      </div>
    </div>
  );
}
