import type { Session } from '@baton/api/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { BookOpen, Clock, Keyboard, LogOut, Monitor, Moon, Search, Sun } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';

import { rootPath } from '../api/client.ts';
import { useOpenCount } from '../api/queries.ts';
import { changeSession, logOut, may, useSession } from '../api/session.ts';
import { useUnknownOutcomes } from '../api/unknownOutcomes.ts';
import { Button } from '../parts/button.tsx';
import { type Scheme, setPreferences, usePreferences } from '../parts/preferences.ts';
import { toastError } from '../parts/toast.tsx';
import { useFocusReturn } from '../parts/useFocusReturn.ts';
import { pageGroups } from './pages.tsx';

interface SidebarProps {
  readonly isOpen: boolean;
  readonly onFind: () => void;
  readonly onKeys: () => void;
}

export function Sidebar({ isOpen, onFind, onKeys }: SidebarProps) {
  const { data: session } = useSession();
  const place = useRef<HTMLElement>(null);
  useFocusReturn(place, isOpen ? 'pages' : undefined);
  useLayoutEffect(() => {
    if (isOpen) place.current?.querySelector('a')?.focus();
  }, [isOpen]);
  return (
    <header ref={place} className="side" data-open={isOpen || undefined}>
      <Link href="/" className="brand">
        <img src={`${rootPath}baton.svg`} alt="" />
        Baton
      </Link>
      <button type="button" className="find" title="Find a page, a workflow or a run (Ctrl K)" onClick={onFind}>
        <Search size={14} />
        Find
        <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label="Pages">
        {pageGroups.map((group, at) => (
          <PageGroup key={group[0]?.path} isFirst={at === 0} group={group} session={session ?? undefined} />
        ))}
        <div className="gap" />
        <a href={`${rootPath}docs`}>
          <BookOpen size={15} />
          Docs
        </a>
      </nav>
      <Foot session={session ?? undefined} onKeys={onKeys} />
    </header>
  );
}

interface GroupProps {
  readonly isFirst: boolean;
  readonly group: (typeof pageGroups)[number];
  readonly session: Session | undefined;
}

function PageGroup({ isFirst, group, session }: GroupProps) {
  const [location] = useLocation();
  const shown = group.filter(({ scopes }) => may(session, scopes));
  return (
    <>
      {!isFirst && shown.length > 0 && <div className="gap" />}
      {shown.map(({ path, name, icon }) => {
        const isHere = location === path || location.startsWith(`${path}/`);
        return (
          <Link key={path} href={path} aria-current={isHere ? 'page' : undefined}>
            {icon}
            {name}
            {path === '/questions' && <QuestionCount />}
            {path === '/unknown' && <UnknownCount />}
          </Link>
        );
      })}
    </>
  );
}

function QuestionCount() {
  return <Count {...useOpenCount()} />;
}

function UnknownCount() {
  const { data } = useUnknownOutcomes();
  return <Count count={data?.count ?? 0} isMore={data?.cut === true} />;
}

function Count({ count, isMore }: { readonly count: number; readonly isMore: boolean }) {
  if (count === 0) return null;
  return (
    <span className="count num" aria-label={`${count} open`}>
      {isMore ? `${count}+` : count}
    </span>
  );
}

const schemes: Readonly<
  Record<Scheme, { readonly next: Scheme; readonly icon: React.ReactNode; readonly label: string }>
> = {
  system: { next: 'light', icon: <Monitor size={15} />, label: 'Colours of the system' },
  light: { next: 'dark', icon: <Sun size={15} />, label: 'Light colours' },
  dark: { next: 'system', icon: <Moon size={15} />, label: 'Dark colours' },
};

interface FootProps {
  readonly session: Session | undefined;
  readonly onKeys: () => void;
}

function Foot({ session, onKeys }: FootProps) {
  const { scheme, zone } = usePreferences();
  const cache = useQueryClient();
  const { next, icon, label } = schemes[scheme];
  const leave = useMutation({ mutationFn: logOut, onSuccess: () => changeSession(cache, null), onError: toastError });
  return (
    <div className="foot">
      <div className="row">
        <Button look="quiet" label={label} icon={icon} onClick={() => setPreferences({ scheme: next })} />
        <Button
          look="quiet"
          label="Time zone"
          icon={<Clock size={14} />}
          onClick={() => setPreferences({ zone: zone === 'utc' ? 'local' : 'utc' })}
        >
          {zone === 'utc' ? 'UTC' : 'Local time'}
        </Button>
        <Button look="quiet" label="Keys of the page (?)" icon={<Keyboard size={15} />} onClick={onKeys} />
      </div>
      <div className="row">
        <span
          className="cut grow small dim"
          title={
            session?.person === undefined
              ? `Logged in with the key ${session?.key?.name ?? ''}`
              : `Logged in as ${session.person.name}`
          }
        >
          {(session?.person ?? session?.key)?.name}
        </span>
        <Button look="quiet" isTiny label="Log out" icon={<LogOut size={14} />} onClick={() => leave.mutate()} />
      </div>
    </div>
  );
}
