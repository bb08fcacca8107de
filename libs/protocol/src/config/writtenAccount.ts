/** How journals and the audit name a person at an identity provider. Without brackets, blanks and a further `#`. */
export const writtenAccount = (issuer: string, subject: string): string =>
  `${issuer}#${encodeURIComponent(subject).replaceAll('(', '%28').replaceAll(')', '%29')}`;

/** Undefined: the text names none. */
export function readAccount(written: string): { readonly issuer: string; readonly subject: string } | undefined {
  const [, issuer, encoded] = /^(.+)#([^#]+)$/.exec(written) ?? [];
  // Unlike `decodeURIComponent` it takes any text.
  const subject = new URLSearchParams(`subject=${encoded}`).get('subject');
  return issuer === undefined || subject === null ? undefined : { issuer, subject };
}
