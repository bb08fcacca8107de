/** Keys, people, secrets, sessions and connected clients. */
import { useLocation, useSearch } from 'wouter';

import { useMay } from '../api/session.ts';
import { Tabs } from '../parts/tabs.tsx';
import { PageHead } from '../shell/pageHead.tsx';
import { ClientsTab } from './clientsTab.tsx';
import { KeysTab } from './keysTab.tsx';
import { PeopleTab } from './peopleTab.tsx';
import { SecretsTab } from './secretsTab.tsx';
import { SessionsTab } from './sessionsTab.tsx';

const tabs = [
  { name: 'keys', label: 'API keys' },
  { name: 'people', label: 'People' },
  { name: 'secrets', label: 'Secrets' },
  { name: 'sessions', label: 'Sessions' },
  { name: 'clients', label: 'Connected clients' },
] as const;

export function SettingsPage() {
  const search = new URLSearchParams(useSearch());
  const [, go] = useLocation();
  const isAdmin = useMay('admin');
  const maySet = useMay('secrets:write');
  const mayHandle = useMay('people:write');
  const isShown = { keys: isAdmin, people: mayHandle, secrets: maySet, sessions: isAdmin, clients: true };
  const shown = tabs.filter(({ name }) => isShown[name]);
  const view = shown.find(({ name }) => name === search.get('view'))?.name ?? shown[0]?.name;
  return (
    <>
      <PageHead title="Settings" />
      {view !== undefined && (
        <Tabs label="Settings" tabs={shown} chosen={view} onChoose={(name) => go(`/settings?view=${name}`)} />
      )}
      <div className="body">
        {view === 'keys' && <KeysTab />}
        {view === 'people' && <PeopleTab />}
        {view === 'secrets' && <SecretsTab />}
        {view === 'sessions' && <SessionsTab />}
        {view === 'clients' && <ClientsTab />}
      </div>
    </>
  );
}
