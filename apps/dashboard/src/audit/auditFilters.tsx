import type { ReactNode } from 'react';

import { TextFilter } from '../parts/textFilter.tsx';

/** Labels of the filters, by their name in the address. */
type FilterLabels = Readonly<Record<string, string>>;

interface AuditFiltersProps {
  readonly labels: FilterLabels;
  readonly search: URLSearchParams;
  readonly onSet: (name: string, value: string) => void;
  readonly children?: ReactNode;
}

export function AuditFilters({ labels, search, onSet, children }: AuditFiltersProps) {
  return (
    <div className="filters">
      {Object.entries(labels).map(([name, label]) => (
        <TextFilter key={name} label={label} value={search.get(name) ?? ''} onSet={(value) => onSet(name, value)} />
      ))}
      {children}
    </div>
  );
}

/** The filters that are set. */
export const filtersIn = (search: URLSearchParams, labels: FilterLabels): Record<string, string> =>
  Object.fromEntries([...search].filter(([name]) => name in labels));
