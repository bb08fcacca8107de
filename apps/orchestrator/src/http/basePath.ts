/** The path prefix of Baton from BATON_PUBLIC_URL: `/baton`, or empty at the root. */
export const basePathOf = (publicUrl: string | undefined): string =>
  (publicUrl === undefined ? '' : (URL.parse(publicUrl)?.pathname ?? '')).replace(/\/+$/, '');
