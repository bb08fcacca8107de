/**
 * The page: where people watch runs, understand them, answer questions, mend and write workflows.
 *
 * Everything on it can also be done over REST and with the command line; it uses the same client. It never shows what
 * tools or models wrote as anything but text, keeps no key, and loads nothing from other hosts.
 */
import './styles/index.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './app.tsx';
import { applyScheme } from './parts/preferences.ts';

applyScheme();

const place = document.getElementById('root');
if (place !== null) {
  // Reported as the faults of other scripts are.
  createRoot(place, { onCaughtError: reportError }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
