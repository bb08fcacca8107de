import { nameFromPath } from '@baton/api/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link, Redirect, Route, Router, Switch } from 'wouter';

import { routerBase } from './api/client.ts';
import { queryClient } from './api/queryClient.ts';
import { may, useSession } from './api/session.ts';
import { Empty, Skeleton } from './parts/notes.tsx';
import { Toasts } from './parts/toast.tsx';
import { RunsPage } from './runs/runsPage.tsx';
import { FaultNote } from './shell/faultNote.tsx';
import { LogInGate } from './shell/logInGate.tsx';
import { PageHead } from './shell/pageHead.tsx';
import { pageGroups } from './shell/pages.tsx';
import { Shell } from './shell/shell.tsx';

const RunPage = lazy(async () => ({ default: (await import('./run/runPage.tsx')).RunPage }));
const WorkflowsPage = lazy(async () => ({ default: (await import('./workflows/workflowsPage.tsx')).WorkflowsPage }));
const WorkflowPage = lazy(async () => ({ default: (await import('./workflows/workflowPage.tsx')).WorkflowPage }));
const EditorPage = lazy(async () => ({ default: (await import('./editor/editorPage.tsx')).EditorPage }));
const QuestionsPage = lazy(async () => ({ default: (await import('./questions/questionsPage.tsx')).QuestionsPage }));
const UnknownPage = lazy(async () => ({ default: (await import('./unknown/unknownPage.tsx')).UnknownPage }));
const CostsPage = lazy(async () => ({ default: (await import('./costs/costsPage.tsx')).CostsPage }));
const SchedulesPage = lazy(async () => ({ default: (await import('./schedules/schedulesPage.tsx')).SchedulesPage }));
const ServersPage = lazy(async () => ({ default: (await import('./servers/serversPage.tsx')).ServersPage }));
const ServerPage = lazy(async () => ({ default: (await import('./servers/serverPage.tsx')).ServerPage }));
const AuditPage = lazy(async () => ({ default: (await import('./audit/auditPage.tsx')).AuditPage }));
const SystemPage = lazy(async () => ({ default: (await import('./system/systemPage.tsx')).SystemPage }));
const ConnectPage = lazy(async () => ({ default: (await import('./connect/connectPage.tsx')).ConnectPage }));
const DevicePage = lazy(async () => ({ default: (await import('./connect/devicePage.tsx')).DevicePage }));
const DeviceDonePage = lazy(async () => ({ default: (await import('./connect/devicePage.tsx')).DeviceDonePage }));
const SettingsPage = lazy(async () => ({ default: (await import('./settings/settingsPage.tsx')).SettingsPage }));

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Router base={routerBase}>
        <LogInGate>
          <Switch>
            <Route path="/connect/:id">
              {({ id }) =>
                isDeviceCode(id) ? (
                  <Redirect to="/device" replace />
                ) : (
                  <Suspense>
                    <ConnectPage key={id} id={id} />
                  </Suspense>
                )
              }
            </Route>
            <Route path="/device">
              <Suspense>
                <DevicePage />
              </Suspense>
            </Route>
            <Route path="/device/:outcome">
              {({ outcome }) => (
                <Suspense>
                  <DeviceDonePage outcome={outcome} />
                </Suspense>
              )}
            </Route>
            <Route>
              <Shell>
                <FaultNote>
                  <Suspense fallback={<Skeleton />}>
                    <Pages />
                  </Suspense>
                </FaultNote>
              </Shell>
            </Route>
          </Switch>
        </LogInGate>
        <Toasts />
      </Router>
    </QueryClientProvider>
  );
}

/** A person types it: a link that was sent to them does not bring it along. */
const isDeviceCode = (id: string): boolean => /^\w{4}-\w{4}$/.test(id);

/** The first page that the key may see. */
function FirstPage() {
  const { data: session } = useSession();
  const first = pageGroups.flat().find(({ scopes }) => may(session, scopes));
  return <Redirect to={first?.path ?? '/runs'} replace />;
}

function Pages() {
  return (
    <Switch>
      <Route path="/">
        <FirstPage />
      </Route>
      <Route path="/runs">
        <RunsPage />
      </Route>
      <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
      <Route path="/workflows">
        <WorkflowsPage />
      </Route>
      <Route path="/workflows/:id">{({ id }) => <WorkflowPage key={id} id={nameFromPath(id)} />}</Route>
      <Route path="/workflows/:id/edit">{({ id }) => <EditorPage key={id} id={nameFromPath(id)} />}</Route>
      <Route path="/new">
        <EditorPage />
      </Route>
      <Route path="/questions">
        <QuestionsPage />
      </Route>
      <Route path="/unknown">
        <UnknownPage />
      </Route>
      <Route path="/schedules">
        <SchedulesPage />
      </Route>
      <Route path="/servers">
        <ServersPage />
      </Route>
      <Route path="/servers/:name">{({ name }) => <ServerPage key={name} name={name} />}</Route>
      <Route path="/costs">
        <CostsPage />
      </Route>
      <Route path="/audit">
        <AuditPage />
      </Route>
      <Route path="/system">
        <SystemPage />
      </Route>
      <Route path="/settings">
        <SettingsPage />
      </Route>
      <Route>
        <PageHead title="There is no such page" />
        <Empty
          title="Nothing is at this address"
          action={
            <Link href="/" className="btn">
              Show the first page
            </Link>
          }
        >
          Press Ctrl-K to find a page, a workflow or a run.
        </Empty>
      </Route>
    </Switch>
  );
}
