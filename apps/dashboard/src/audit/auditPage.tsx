import { PageHead } from '../shell/pageHead.tsx';

export function AuditPage(_props: { readonly id?: string; readonly name?: string }) {
  return <PageHead title="AuditPage" />;
}
