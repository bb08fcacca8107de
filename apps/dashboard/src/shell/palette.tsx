/** Ctrl-K: pages, workflows, runs by their id. */
import { nameInPath } from '@baton/api/client';
import { isUuid } from '@baton/primitives';
import { Play, Search, Workflow } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';

import { useWorkflows } from '../api/queries.ts';
import { may, useSession } from '../api/session.ts';
import { setPreferences } from '../parts/preferences.ts';
import { newWorkflow, pageGroups } from './pages.tsx';

interface Entry {
  readonly name: string;
  readonly kind: string;
  readonly icon: ReactNode;
  readonly onChoose: () => void;
}

const shownMax = 12;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const entries = useEntries(text).slice(0, shownMax);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // A dialog that is only removed leaves the focus nowhere.
    return () => element?.close();
  }, []);
  const choose = (entry: Entry | undefined): void => {
    onClose();
    entry?.onChoose();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((now) => (now + step + entries.length) % Math.max(1, entries.length));
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      choose(entries[at]);
    }
  };
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Find"
      onClose={() => {
        // In development React removes and adds each element once.
        if (dialog.current?.open !== true) onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="row palette-find">
        <Search size={16} aria-hidden="true" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={`palette-${at}`}
          aria-label="Pages, workflows, runs"
          placeholder="A page, a workflow, or the id of a run"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <FoundList entries={entries} at={at} onAt={setAt} onChoose={choose} />
    </dialog>
  );
}

interface FoundListProps {
  readonly entries: readonly Entry[];
  /** Index of the entry that Enter chooses. */
  readonly at: number;
  readonly onAt: (index: number) => void;
  readonly onChoose: (entry: Entry) => void;
}

function FoundList({ entries, at, onAt, onChoose }: FoundListProps) {
  return (
    <ul id="palette-list" role="listbox" aria-label="What was found">
      {entries.map((entry, index) => (
        <li
          key={`${entry.kind}${entry.name}`}
          id={`palette-${index}`}
          role="option"
          aria-selected={index === at}
          onPointerMove={() => onAt(index)}
          onClick={() => onChoose(entry)}
        >
          {entry.icon}
          <span className="cut grow">{entry.name}</span>
          <span className="faint small">{entry.kind}</span>
        </li>
      ))}
      {entries.length === 0 && <li className="faint">Nothing has this name.</li>}
    </ul>
  );
}

function useEntries(text: string): Entry[] {
  const [, go] = useLocation();
  const { data: session } = useSession();
  const { data: workflows = [] } = useWorkflows();
  return useMemo(() => {
    const wanted = text.trim().toLowerCase();
    const pages = [...pageGroups.flat(), newWorkflow]
      .filter(({ scopes }) => may(session, scopes))
      .map(({ path, name, icon }): Entry => ({ name, kind: 'page', icon, onChoose: () => go(path) }));
    const flows = workflows.flatMap(({ id, title }): Entry[] => [
      {
        name: title === undefined ? id : `${id} · ${title}`,
        kind: 'workflow',
        icon: <Workflow size={15} />,
        onChoose: () => go(`/workflows/${nameInPath(id)}`),
      },
      {
        name: `Run ${id}`,
        kind: 'action',
        icon: <Play size={15} />,
        onChoose: () => go(`/workflows/${nameInPath(id)}?do=run`),
      },
    ]);
    const actions: Entry[] = (['dark', 'light', 'system'] as const).map((scheme) => ({
      name: `Colours: ${scheme}`,
      kind: 'action',
      icon: <Search size={15} />,
      onChoose: () => setPreferences({ scheme }),
    }));
    // Of a part of an id, nothing is found.
    const run: Entry[] = isUuid(wanted)
      ? [{ name: wanted, kind: 'run', icon: <Play size={15} />, onChoose: () => go(`/runs/${wanted}`) }]
      : [];
    const all = [...pages, ...flows, ...actions];
    return [...run, ...all.filter(({ name }) => name.toLowerCase().includes(wanted))];
  }, [text, workflows, session, go]);
}
