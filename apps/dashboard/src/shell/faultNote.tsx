/** Shows an error of one page on that page; all other pages continue to work. */
import { Component, type ReactNode } from 'react';
import { useLocation } from 'wouter';

import { queryClient } from '../api/queryClient.ts';
import { Button } from '../parts/button.tsx';
import { ProblemNote } from '../parts/notes.tsx';
import { PageHead } from './pageHead.tsx';

interface BoundaryProps {
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly error: unknown;
}

/** React passes errors only to class components. */
class Boundary extends Component<BoundaryProps, BoundaryState> {
  override readonly state: BoundaryState = { error: undefined };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error };
  }

  override componentWillUnmount(): void {
    this.#forget();
  }

  /** Drops the data that the page could not show, so that it is loaded anew. */
  #forget(): void {
    if (this.state.error !== undefined) queryClient.removeQueries({ type: 'inactive' });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <>
        <PageHead title="This page has a fault" />
        <div className="body">
          <ProblemNote error={error} />
          <p className="dim">Nothing of Baton stops because of it: runs continue, and the other pages work.</p>
          <div className="row">
            <Button
              onClick={() => {
                this.#forget();
                this.setState({ error: undefined });
              }}
            >
              Show it again
            </Button>
          </div>
        </div>
      </>
    );
  }
}

export function FaultNote({ children }: BoundaryProps) {
  const [path] = useLocation();
  return <Boundary key={path}>{children}</Boundary>;
}
