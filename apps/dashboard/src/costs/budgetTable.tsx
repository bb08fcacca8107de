/** Budgets of a day or a month, with what is used of them. */
import type { Budget } from '@baton/api/client';
import { useQuery } from '@tanstack/react-query';

import { client } from '../api/client.ts';
import { ProblemNote } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { TimeText } from '../parts/timeText.tsx';

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
  if (error !== null) return <ProblemNote error={error} />;
  if (data === undefined || data.data.length === 0) return null;
  return (
    <section className="section">
      <h2>Budgets</h2>
      <Table look="budgets" heads={['Budget', 'Workflows', 'Used', ['Until', 'wide-only']]}>
        {data.data.map((budget) => (
          <BudgetRow key={budget.name} budget={budget} />
        ))}
      </Table>
    </section>
  );
}

function BudgetRow({ budget: { name, on, per, limits, until, setAt, setBy } }: { readonly budget: Budget }) {
  return (
    <tr>
      <td className="break">
        <b>{name}</b> <span className="faint small">each {per}</span>
      </td>
      <td className="dim break">
        <code>{on}</code>
      </td>
      <td>
        {limits.map((limit) => (
          <Used key={limit.unit} {...limit} />
        ))}
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
