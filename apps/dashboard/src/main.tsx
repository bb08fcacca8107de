/**
 * The page: people watch and diagnose runs, answer questions, and write and correct workflows.
 *
 * REST and the command line can do the same; the page uses the same client. It shows output of tools and models only as
 * text, stores no key, and loads nothing from other hosts.
 *
 * Folders, lowest first: api, parts, shell, runs, schedules, questions, shownText, editor, run, unknown, workflows, servers,
 * audit, costs, system, connect, settings, styles.
 */
import './styles/index.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './app.tsx';
import { applyScheme } from './parts/preferences.ts';

applyScheme();

const place = document.getElementById('root');
if (place !== null) {
  // Reports errors of components like errors of other scripts.
  createRoot(place, { onCaughtError: reportError }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
