/** Starts a run again, by a retry or a rerun; first asks which calls that would repeat. */
import type { RerunResult } from '@baton/api/client';
import { useMutation, useQuery } from '@tanstack/react-query';

type Body = Readonly<Record<string, unknown>>;

interface Again<Given extends Body> {
  readonly kind: 'retry' | 'rerun';
  readonly runId: string;
  readonly body: Given;
  readonly call: (body: Given & { readonly preview?: true }) => Promise<RerunResult>;
  /** Called with the id of the new run. */
  readonly onStarted: (id: string | undefined) => void;
}

export function useAgain<Given extends Body>({ kind, runId, body, call, onStarted }: Again<Given>) {
  const preview = useQuery({
    queryKey: [kind, runId, body],
    queryFn: () => call({ ...body, preview: true }),
    // What was shown stays until what was chosen now is known; the button waits for that.
    placeholderData: (before) => before,
    staleTime: 0,
    gcTime: 0,
  });
  // Of two people who retry at once, the second gets the run of the first.
  const seen = kind === 'retry' ? { retriedAs: preview.data?.retriedAs ?? null } : {};
  const start = useMutation({ mutationFn: () => call({ ...body, ...seen }), onSuccess: ({ id }) => onStarted(id) });
  return { preview, start };
}
