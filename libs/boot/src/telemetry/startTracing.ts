import type { Tracing, TracingOptions } from './tracing.ts';

/** Undefined if tracing is off; its code is then not loaded. */
export async function startTracing({
  endpoint,
  ...rest
}: Omit<TracingOptions, 'endpoint'> & { readonly endpoint: string | undefined }): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { openTracing } = await import('./tracing.ts');
  return openTracing({ endpoint, ...rest });
}
