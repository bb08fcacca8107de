import { PageHead } from '../shell/pageHead.tsx';

export function RunPage(_props: { readonly id?: string; readonly name?: string }) {
  return <PageHead title="RunPage" />;
}
