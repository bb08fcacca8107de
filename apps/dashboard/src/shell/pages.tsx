/** The pages, as the sidebar and the palette list them. */
import {
  Activity,
  CalendarClock,
  CircleHelp,
  Coins,
  Gauge,
  ListChecks,
  Plug,
  ScrollText,
  Settings2,
  TriangleAlert,
  Workflow,
} from 'lucide-react';
import type { ReactNode } from 'react';

export interface PageLink {
  readonly path: string;
  readonly name: string;
  readonly icon: ReactNode;
  /** A key with one of these scopes may see the page. */
  readonly scopes: readonly string[];
}

const size = 15;
const running = ['runs:read', 'runs:write'];

export const pageGroups: readonly (readonly PageLink[])[] = [
  [
    { path: '/runs', name: 'Runs', icon: <Activity size={size} />, scopes: running },
    {
      path: '/questions',
      name: 'Questions',
      icon: <CircleHelp size={size} />,
      scopes: ['questions:answer', 'runs:read'],
    },
    { path: '/unknown', name: 'Unknown calls', icon: <TriangleAlert size={size} />, scopes: running },
  ],
  [
    {
      path: '/workflows',
      name: 'Workflows',
      icon: <Workflow size={size} />,
      scopes: ['workflows:write', ...running],
    },
    {
      path: '/schedules',
      name: 'Schedules',
      icon: <CalendarClock size={size} />,
      scopes: ['workflows:write', ...running],
    },
    {
      path: '/servers',
      name: 'Servers',
      icon: <Plug size={size} />,
      scopes: ['servers:read', 'servers:approve', 'workflows:write'],
    },
  ],
  [
    { path: '/costs', name: 'Costs', icon: <Coins size={size} />, scopes: running },
    { path: '/audit', name: 'Audit', icon: <ScrollText size={size} />, scopes: ['audit:read'] },
    { path: '/system', name: 'System', icon: <Gauge size={size} />, scopes: ['admin'] },
    {
      path: '/settings',
      name: 'Settings',
      icon: <Settings2 size={size} />,
      scopes: ['admin', 'secrets:write', 'people:write'],
    },
  ],
];

export const newWorkflow: PageLink = {
  path: '/new',
  name: 'Write a workflow',
  icon: <ListChecks size={size} />,
  scopes: ['workflows:write'],
};
