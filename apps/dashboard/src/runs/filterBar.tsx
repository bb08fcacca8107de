/** The filters of the list of runs. They are parameters of the address, so that a link shows the same list. */
import { effects, triggerKinds } from '@baton/api/client';
import { Bookmark, X } from 'lucide-react';
import { useState } from 'react';

import { useWorkflows } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { FoldedFilters } from '../parts/foldedFilters.tsx';
import { setPreferences, usePreferences } from '../parts/preferences.ts';
import { type FilterStep, TextFilter } from '../parts/textFilter.tsx';
import { instantText } from '../parts/time.ts';
import { type RunListFilter, type Span, calledOf, isFiltered, namedCall, spanNames } from './runFilter.ts';
import { shortRunId } from './shortRunId.ts';

export type SetParams = (
  change: Readonly<Record<string, string | readonly string[] | undefined>>,
  step?: FilterStep,
) => void;

interface FilterBarProps {
  readonly filter: RunListFilter;
  readonly query: string;
  readonly onSet: SetParams;
  readonly onQuery: (query: string) => void;
}

export function FilterBar({ filter, query, onSet, onQuery }: FilterBarProps) {
  const { values } = filter;
  const set = Object.keys(values).filter((name) => name !== 'status').length;
  return (
    <div className="filters">
      <FoldedFilters count={set}>
        <RunFilters values={values} onSet={onSet} />
        <CallFilters values={values} onSet={onSet} />
      </FoldedFilters>
      <TimeFilter filter={filter} onSet={onSet} />
      <FailureFilters values={values} onSet={onSet} />
      {isFiltered(filter) && (
        <Button look="quiet" onClick={() => onQuery('')}>
          Clear
        </Button>
      )}
      <SavedViews query={query} onQuery={onQuery} />
    </div>
  );
}

interface FieldsProps {
  readonly values: RunListFilter['values'];
  readonly onSet: SetParams;
}

function RunFilters({ values, onSet }: FieldsProps) {
  const { data: workflows = [] } = useWorkflows();
  return (
    <>
      <Choice
        label="Workflow"
        value={values.workflow?.[0]}
        options={workflows.map(({ id }) => id)}
        onChoose={(workflow) => onSet({ workflow })}
      />
      <Choice
        label="Trigger"
        value={values.trigger?.[0]}
        options={triggerKinds}
        onChoose={(trigger) => onSet({ trigger })}
      />
      <TextFilter
        label="Tag"
        value={values.tag?.[0] ?? ''}
        onSet={(tag, step) => onSet({ tag: tag === '' ? undefined : tag }, step)}
      />
      <TextFilter
        label="Failure says"
        value={values.text?.[0] ?? ''}
        onSet={(text, step) => onSet({ text: text === '' ? undefined : text }, step)}
      />
    </>
  );
}

function CallFilters({ values, onSet }: FieldsProps) {
  return (
    <>
      <TextFilter
        label="Called tool"
        value={calledOf(values)}
        onSet={(called, step) => onSet(namedCall(called), step)}
      />
      <Choice
        label="Effect"
        value={values.effect?.[0]}
        options={effects}
        words={effectWords}
        onChoose={(effect) => onSet({ effect })}
      />
      <Choice
        label="Outcome"
        value={values.outcome?.[0]}
        options={['unknown']}
        words={{ unknown: 'Unknown outcome' }}
        onChoose={(outcome) => onSet({ outcome })}
      />
    </>
  );
}

function TimeFilter({ filter: { span, range }, onSet }: Pick<FilterBarProps, 'filter' | 'onSet'>) {
  const { zone } = usePreferences();
  if (range !== undefined)
    return (
      <Button
        icon={<X size={13} />}
        label="Show the whole time again"
        onClick={() => onSet({ from: undefined, to: undefined })}
      >
        <span className="num">
          {instantText(range.from, zone)} – {instantText(range.to, zone).slice(11)}
        </span>
      </Button>
    );
  return (
    <select className="input" aria-label="Time" value={span} onChange={(event) => onSet({ time: event.target.value })}>
      {(Object.keys(spanNames) as Span[]).map((one) => (
        <option key={one} value={one}>
          {spanNames[one]}
        </option>
      ))}
    </select>
  );
}

const effectWords = { read: 'May read', idempotent: 'Idempotent', write: 'May write' };

const retriedWords = { no: 'Not retried', yes: 'Retried' };

/** Of failed runs: whether they were retried, and the cause that was chosen. */
function FailureFilters({ values, onSet }: FieldsProps) {
  const { status, retried, like: [like] = [] } = values;
  return (
    <>
      {(status?.includes('failed') === true || retried !== undefined) && (
        <Choice
          label="Retried"
          value={retried?.[0]}
          options={Object.keys(retriedWords)}
          words={retriedWords}
          onChoose={(chosen) => onSet({ retried: chosen })}
        />
      )}
      {like !== undefined && (
        <Button icon={<X size={13} />} label="Show failures of every cause" onClick={() => onSet({ like: undefined })}>
          Failed like <code>{shortRunId(like)}</code>
        </Button>
      )}
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly string[];
  /** How options are worded that do not speak for themselves. */
  readonly words?: Readonly<Record<string, string>>;
  readonly onChoose: (value: string | undefined) => void;
}

function Choice({ label, value, options, words, onChoose }: ChoiceProps) {
  const all = value === undefined || options.includes(value) ? options : [value, ...options];
  return (
    <select
      className={`input${value === undefined ? '' : ' chosen'}`}
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChoose(event.target.value === '' ? undefined : event.target.value)}
    >
      <option value="">{label}</option>
      {all.map((one) => (
        <option key={one} value={one}>
          {words?.[one] ?? one}
        </option>
      ))}
    </select>
  );
}

function SavedViews({ query, onQuery }: { readonly query: string; readonly onQuery: (query: string) => void }) {
  const { views } = usePreferences();
  const [name, setName] = useState<string>();
  const chosen = views.find((view) => view.query === query);
  const save = (): void => {
    const wanted = name?.trim() ?? '';
    if (wanted !== '')
      setPreferences({ views: [...views.filter((view) => view.name !== wanted), { name: wanted, query }] });
    setName(undefined);
  };
  return (
    <span className="row views">
      {views.map((view) => (
        <span key={view.name} className={`row view${view === chosen ? ' chosen' : ''}`}>
          <button type="button" className="plain-button" onClick={() => onQuery(view.query)}>
            {view.name}
          </button>
          {view === chosen && (
            <Button
              look="quiet"
              isTiny
              label={`Forget the view ${view.name}`}
              icon={<X size={12} />}
              onClick={() => setPreferences({ views: views.filter((one) => one !== view) })}
            />
          )}
        </span>
      ))}
      {name !== undefined && (
        <input
          autoFocus
          className="input short"
          aria-label="Name of the view"
          placeholder="Name of the view"
          value={name}
          onChange={(event) => setName(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Enter') save();
            if (event.key === 'Escape') setName(undefined);
          }}
        />
      )}
      {name === undefined && query !== '' && chosen === undefined && (
        <Button
          look="quiet"
          icon={<Bookmark size={14} />}
          label="Save these filters in this browser"
          onClick={() => setName('')}
        >
          Save
        </Button>
      )}
    </span>
  );
}
