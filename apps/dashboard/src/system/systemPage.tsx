import { PageHead } from '../shell/pageHead.tsx';

export function SystemPage(_props: { readonly id?: string; readonly name?: string }) {
  return <PageHead title="SystemPage" />;
}
