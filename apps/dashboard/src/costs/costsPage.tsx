/** What models cost: by model, workflow or key, and by day. */
import type { Costs } from '@baton/api/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';

import { client } from '../api/client.ts';
import { CallerText } from '../parts/callerText.tsx';
import { Empty, ProblemNote, Skeleton } from '../parts/notes.tsx';
import { Table } from '../parts/table.tsx';
import { PageHead } from '../shell/pageHead.tsx';
import { BudgetTable } from './budgetTable.tsx';
import {
  type CostGroup,
  type Grouped,
  daysShown,
  groupCosts,
  tokensOf,
  knownTokensText,
  usdText,
} from './costGroups.ts';
import { colouredMax, CostPlot, type Measure } from './costPlot.tsx';

import './costs.css';

const spans = { 7: '7 days', 30: '30 days', 90: '90 days', 365: 'a year' };
const groupNames: Readonly<Record<Grouped, string>> = { model: 'Model', workflow: 'Workflow', key: 'Key' };
const dayMs = 86_400_000;

const useCosts = (by: Grouped, days: number) =>
  useQuery({
    queryKey: ['costs', by, days],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10);
      return client.costs({ by: ['day', by], from }, { signal });
    },
    placeholderData: (before) => before,
    staleTime: 20_000,
  });

export function CostsPage() {
  const [by, setBy] = useState<Grouped>('model');
  const [days, setDays] = useState(30);
  const [wanted, setWanted] = useState<Measure>('usd');
  const { data, error } = useCosts(by, days);
  // Without prices the dollars of each day would be an empty plot.
  const measure = data?.total.usd === 0 ? 'tokens' : wanted;
  return (
    <>
      <PageHead title="Costs" />
      <div className="body">
        <div className="cost-choices">
          <Choice label="By" value={by} options={groupNames} onChoose={(name) => setBy(name as Grouped)} />
          <Choice label="Time" value={String(days)} options={spans} onChoose={(count) => setDays(Number(count))} />
          <Choice
            label="Plot"
            value={measure}
            options={{ usd: 'Dollars', tokens: 'Tokens' }}
            onChoose={(name) => setWanted(name as Measure)}
          />
        </div>
        <BudgetTable />
        <ProblemNote error={error} />
        {data === undefined && error === null && <Skeleton rows={6} />}
        {data !== undefined && <Shown costs={data} by={by} measure={measure} />}
      </div>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly onChoose: (value: string) => void;
}

const Choice = ({ label, value, options, onChoose }: ChoiceProps) => (
  <label className="field">
    <span className="small dim">{label}</span>
    <select className="input short" value={value} onChange={(event) => onChoose(event.target.value)}>
      {Object.entries(options).map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

interface ShownProps {
  readonly costs: Costs;
  readonly by: Grouped;
  readonly measure: Measure;
}

function Shown({ costs: { data, total, from, to, cut }, by, measure }: ShownProps) {
  if (data.length === 0)
    return (
      <Empty title="No model answered in this time">
        Steps with <code>sample</code> ask models. <code>mcp.json</code> has their prices.
      </Empty>
    );
  const groups = groupCosts(data, by);
  const figures = {
    Dollars: usdText(total),
    'Input tokens': knownTokensText(total, total.inputTokens),
    'Output tokens': knownTokensText(total, total.outputTokens),
    Answers: total.answers.toLocaleString('en'),
  };
  return (
    <>
      <ul className="figures">
        {Object.entries(figures).map(([name, value]) => (
          <li key={name}>
            <span className="dim small">{name}</span>
            <b className="num">{value}</b>
          </li>
        ))}
      </ul>
      <CostPlot groups={groups} days={daysShown(data, { from, to })} measure={measure} />
      <Lacking total={total} />
      {cut === true && <p className="small dim">There are more: choose a shorter time.</p>}
      <Table
        look="costs"
        heads={[
          groupNames[by],
          ['Dollars', 'right'],
          ['Tokens', 'right'],
          ['Input', 'right wide-only'],
          ['Output', 'right wide-only'],
          ['Answers', 'right wide-only'],
        ]}
      >
        {groups.map((group, at) => (
          <GroupRow key={group.name} group={group} at={at} by={by} />
        ))}
      </Table>
    </>
  );
}

interface GroupRowProps {
  readonly group: CostGroup;
  readonly at: number;
  readonly by: Grouped;
}

function GroupRow({ group, at, by }: GroupRowProps) {
  const { name, inputTokens, outputTokens, answers } = group;
  return (
    <tr>
      <td className="cell-name">
        <span className="cost-name">
          <i className={`swatch c-${Math.min(at, colouredMax)}`} aria-hidden />
          {by === 'workflow' ? (
            <Link href={`/runs?workflow=${encodeURIComponent(name)}`} className="plain name cut" title={name}>
              {name}
            </Link>
          ) : (
            <span className="cut" title={name}>
              {by === 'key' ? <CallerText by={name} /> : name}
            </span>
          )}
        </span>
      </td>
      <td className="right num">{usdText(group)}</td>
      <td className="right num">{knownTokensText(group, tokensOf(group))}</td>
      <td className="right num wide-only">{knownTokensText(group, inputTokens)}</td>
      <td className="right num wide-only">{knownTokensText(group, outputTokens)}</td>
      <td className="right num wide-only">{answers.toLocaleString('en')}</td>
    </tr>
  );
}

/** What the sums lack. */
function Lacking({ total: { unpriced = 0, unknown = 0, estimated = 0 } }: Pick<Costs, 'total'>) {
  const lines = [
    [unpriced, 'of models without a price in mcp.json: their dollars are missing'],
    [estimated, 'with tokens that Baton estimated, because the provider did not count them'],
    [unknown, 'with unknown tokens: the MCP client whose model answered did not say them'],
  ] as const;
  const shown = lines.filter(([count]) => count > 0);
  if (shown.length === 0) return null;
  return (
    <ul className="small dim lacking">
      {shown.map(([count, what]) => (
        <li key={what}>
          {count.toLocaleString('en')} {count === 1 ? 'answer' : 'answers'} {what}.
        </li>
      ))}
    </ul>
  );
}
