/** Budgets of a day or a month, with what is used of them. */
import type { Budget } from '@baton/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';
import { SetBudgetDialog } from './setBudgetDialog.tsx';

const unitNames: Readonly<Record<Budget['limits'][number]['unit'], string>> = {
  usd: 'dollars',
  tokens: 'tokens',
  writes: 'writes',
  runs: 'runs',
};

export function BudgetTable() {
  const { data, error } = useQuery({
    queryKey: ['budgets'],
    queryFn: ({ signal }) => client.budgets.list({ signal }),
    staleTime: 20_000,
  });
  const maySet = useMay('admin');
  const [isSetting, setSetting] = useState(false);
  if (error !== null) return <ProblemNote error={error} />;
  if (data === undefined || (data.data.length === 0 && !maySet)) return null;
  return (
    <section className="section">
      <div className="row">
        <h2 className="grow">Budgets</h2>
        {maySet && <Button onClick={() => setSetting(true)}>Set a budget</Button>}
      </div>
      {data.data.length === 0 ? (
        <p className="dim">None: nothing limits what all runs of a workflow use in a day or a month.</p>
      ) : (
        <Table look="budgets" heads={['Budget', 'Workflows', 'Used', ['Until', 'wide-only']]}>
          {data.data.map((budget) => (
            <BudgetRow key={budget.name} budget={budget} />
          ))}
        </Table>
      )}
      {isSetting && <SetBudgetDialog budgets={data.data} onClose={() => setSetting(false)} />}
    </section>
  );
}

function BudgetRow({ budget: { name, on, per, limits, until, setAt, setBy, warning } }: { readonly budget: Budget }) {
  return (
    <tr>
      <td className="break">
        <b>{name}</b> <span className="faint small">each {per}</span>
      </td>
      <td className="dim break">
        <code>{on}</code>
        {warning !== undefined && <span className="small"> none is deployed</span>}
      </td>
      <td>
        {limits.map((limit) => (
          <Used key={limit.unit} {...limit} />
        ))}
        <div className="narrow-only faint small">
          until <TimeText at={until} />
        </div>
      </td>
      <td className="dim wide-only">
        <TimeText at={until} />
        <span className="faint small">
          {' '}
          set <TimeText at={setAt} /> by {setBy}
        </span>
      </td>
    </tr>
  );
}

const levelOf = (share: number): 'spent' | 'near' | 'free' => {
  if (share >= 1) return 'spent';
  return share >= 0.8 ? 'near' : 'free';
};

function Used({ unit, spent, most }: Budget['limits'][number]) {
  const share = most === 0 ? 1 : spent / most;
  const text = `${spent.toLocaleString('en')} of ${most.toLocaleString('en')} ${unitNames[unit]}`;
  return (
    <div className="budget-used">
      <span className="small num">
        {text}
        {share >= 1 && <b> spent</b>}
      </span>
      <span className={`budget-bar ${levelOf(share)}`} aria-hidden>
        <i style={{ width: `${Math.min(100, share * 100)}%` }} />
      </span>
    </div>
  );
}
