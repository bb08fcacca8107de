/** The page of one server: state, tools, and changes of tools since workflows were checked. */
import type { Server } from '@baton/api/client';
import { countText } from '@baton/engine';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { LogIn, PlugZap } from 'lucide-react';

import { client } from '../api/client.ts';
import { useServerStats } from '../api/figures.ts';
import { useTools } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { toast, toastError } from '../parts/toast.tsx';
import { useLogIn } from '../parts/useLogIn.ts';
import { PageHead } from '../shell/pageHead.tsx';
import { DriftSection } from './driftSection.tsx';
import { ServerProcesses } from './serverProcesses.tsx';
import { ServerState, stateIn } from './serverState.tsx';
import { ToolList } from './toolList.tsx';

import './servers.css';

export function ServerPage({ name }: { readonly name: string }) {
  const { data, error, isPending } = useQuery({
    queryKey: ['servers', 'one', name],
    queryFn: ({ signal }) => client.servers.get(name, { signal }),
  });
  const { data: stats } = useServerStats(name);
  const tools = useTools(name);
  const mayApprove = useMay('servers:approve');
  return (
    <>
      <PageHead title={name} actions={error === null && <ServerActions name={name} server={data} />}>
        {data !== undefined && <ServerState state={stateIn(stats?.processes, data.state)} />}
        {data?.ownLogin === 'absent' && <span className="chip warn">needs your log-in</span>}
      </PageHead>
      <div className="body">
        {isPending && <Skeleton rows={4} />}
        <ProblemNote error={error} />
        {data !== undefined && (
          <dl className="facts">
            <dt>Transport</dt>
            <dd>{data.type}</dd>
            {data.server?.name !== undefined && (
              <>
                <dt>Calls itself</dt>
                <dd>
                  {data.server.name} {data.server.version}
                </dd>
              </>
            )}
            {data.protocolVersion !== undefined && (
              <>
                <dt>MCP revision</dt>
                <dd className="num">{data.protocolVersion}</dd>
              </>
            )}
            {data.lastError !== undefined && (
              <>
                <dt>Last error</dt>
                <dd>
                  <span className="red">{data.lastError.code}</span> {data.lastError.message}{' '}
                  <span className="dim">
                    <TimeText at={data.lastError.at} />
                  </span>
                </dd>
              </>
            )}
          </dl>
        )}
        <ServerProcesses name={name} />
        {mayApprove && <DriftSection name={name} drift={data?.drift} />}
        {error === null && (
          <section className="section">
            <h2>Tools</h2>
            {tools.error?.message === data?.lastError?.message ? (
              tools.error !== null && <p className="dim">They are not known while it does not answer.</p>
            ) : (
              <ProblemNote error={tools.error} />
            )}
            {tools.isPending && <Skeleton rows={5} />}
            {tools.data?.data.length === 0 && <Empty title="It offers no tool" />}
            {tools.data !== undefined && tools.data.data.length > 0 && (
              <ToolList server={name} tools={tools.data.data} />
            )}
          </section>
        )}
      </div>
    </>
  );
}

interface ServerActionsProps {
  readonly name: string;
  /** Absent: not known yet. */
  readonly server: Server | undefined;
}

function ServerActions({ name, server }: ServerActionsProps) {
  // A local process has no log-in, nor has what is built in.
  const isRemote = server !== undefined && server.type !== 'stdio' && server.type !== 'builtin';
  const ownLogin = server?.ownLogin;
  const wantsLogIn =
    ownLogin === 'absent' || (server?.state !== 'ready' && server?.lastError?.code === 'server-unauthorized');
  const cache = useQueryClient();
  const mayTest = useMay('servers:approve', 'workflows:write');
  const maySetUp = useMay('servers:approve');
  // Where people have logins of their own, everyone logs in for themselves.
  const mayLogIn = maySetUp || ownLogin !== undefined;
  const refresh = (): void => {
    void cache.invalidateQueries({ queryKey: ['servers'] });
    void cache.invalidateQueries({ queryKey: ['server stats', name] });
    void cache.invalidateQueries({ queryKey: ['tools', name] });
    void cache.invalidateQueries({ queryKey: ['drift', name] });
    void cache.invalidateQueries({ queryKey: ['proofs'] });
  };
  const test = useMutation({
    mutationFn: () => client.servers.test(name),
    onSuccess: ({ tools, prompts, resources, problems }) =>
      toast(
        `${name} answers: ${countText(tools, 'tool')}, ${countText(prompts, 'prompt')}, ${countText(resources, 'resource')}. ${problems.join(' ')}`,
      ),
    onError: toastError,
    onSettled: refresh,
  });
  const login = useLogIn(name, () => test.mutate());
  return (
    <>
      {mayLogIn && isRemote && (
        <Button
          {...(wantsLogIn && { look: 'main' })}
          icon={<LogIn size={14} />}
          isBusy={login.isPending}
          onClick={() => login.mutate()}
        >
          Log in
        </Button>
      )}
      {mayTest && (
        <Button
          {...(!wantsLogIn && { look: 'main' })}
          icon={<PlugZap size={14} />}
          isBusy={test.isPending}
          onClick={() => test.mutate()}
        >
          {test.isPending ? 'Testing' : 'Test'}
        </Button>
      )}
    </>
  );
}
