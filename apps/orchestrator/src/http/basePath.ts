/** The path under which others reach Baton, as BATON_PUBLIC_URL says it: `/baton`, or nothing where it is the root. */
export const basePathOf = (publicUrl: string | undefined): string =>
  (publicUrl === undefined ? '' : (URL.parse(publicUrl)?.pathname ?? '')).replace(/\/+$/, '');
