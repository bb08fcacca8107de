/** What proofs decided about a tool that changed. */
import { nameInPath } from '@baton/api/client';
import { Link } from 'wouter';

import { TimeText } from '../parts/timeText.tsx';
import { type ToolProof, answersText } from './toolProofs.ts';

export function ProofNotes({ proofs }: { readonly proofs: readonly ToolProof[] }) {
  return (
    <>
      <h3>It changed, and workflows go on with it</h3>
      <ul className="small">
        {proofs.map(({ at, workflow, version, changes, answers }) => (
          <li key={`${workflow}@${version}`}>
            <p className="dim">{changes}</p>
            <p>
              Baton proved that {workflow} goes on as before, and made{' '}
              <Link href={`/workflows/${nameInPath(workflow)}`}>
                {workflow}@{version}
              </Link>{' '}
              with the changed tool. {answersText(answers)}{' '}
              <span className="dim">
                <TimeText at={at} />
              </span>
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
