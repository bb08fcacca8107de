/** The audit trail: calls of runs, and changes to the installation. */
import { useMutation } from '@tanstack/react-query';
import { Download, ShieldCheck } from 'lucide-react';
import { useLocation, useSearch } from 'wouter';

import { client, rootPath } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { PageHead } from '../shell/pageHead.tsx';
import type { SetFilter } from './auditFilters.tsx';
import { CallTable } from './callTable.tsx';
import { EntryTable } from './entryTable.tsx';

import '../runs/runs.css';
import './audit.css';

const tabs = [
  { name: 'calls', label: 'Calls' },
  { name: 'entries', label: 'Installation' },
] as const;

/** Without filters: those of one list are not those of the other. */
const addressOf = (view: (typeof tabs)[number]['name']): string =>
  view === 'calls' ? '/audit' : `/audit?view=${view}`;

export function AuditPage() {
  const search = new URLSearchParams(useSearch());
  const [, go] = useLocation();
  const view = search.get('view') === 'entries' ? 'entries' : 'calls';
  const verify = useMutation({ mutationFn: () => client.audit.verify() });
  const onSet: SetFilter = (name, value, step) => {
    if (value === '') search.delete(name);
    else search.set(name, value);
    go(`/audit${search.size === 0 ? '' : `?${search}`}`, step);
  };
  const filters = { search, onSet, onClear: () => go(addressOf(view)) };
  return (
    <>
      <PageHead
        title="Audit"
        actions={
          <>
            <a className="btn" href={`${rootPath}v1/audit/export`} download="baton-audit.ndjson">
              <Download size={14} /> Export
            </a>
            <Button
              look="main"
              icon={<ShieldCheck size={14} />}
              isBusy={verify.isPending}
              onClick={() => verify.mutate()}
            >
              {verify.isPending ? 'Verifying' : 'Verify'}
            </Button>
          </>
        }
      />
      <Chain verify={verify} />
      <Tabs label="Kinds of records" tabs={tabs} chosen={view} onChoose={(name) => go(addressOf(name))} />
      {view === 'calls' ? <CallTable {...filters} /> : <EntryTable {...filters} />}
    </>
  );
}

type Verifying = Pick<
  ReturnType<typeof useMutation<Awaited<ReturnType<typeof client.audit.verify>>, Error, void>>,
  'data' | 'error'
>;

function Chain({ verify: { data, error } }: { readonly verify: Verifying }) {
  if (error !== null) return <ProblemNote error={error} />;
  if (data === undefined) return null;
  const { isIntact, problem, entries, seals, runs, events, warnings } = data;
  const number = (n: number): string => n.toLocaleString('en');
  return (
    <div className={`banner chain${isIntact ? ' good' : ' bad'}`} role="status">
      <span>
        {isIntact
          ? `Intact: ${number(entries)} records, ${number(runs)} runs, ${number(events)} events under ${number(seals)} seals.`
          : `Not intact: ${problem?.message ?? ''} (${problem?.where ?? ''})`}{' '}
        {warnings.join(' ')}
      </span>
    </div>
  );
}
