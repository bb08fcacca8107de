import { PageHead } from '../shell/pageHead.tsx';

export function ServersPage(_props: { readonly id?: string; readonly name?: string }) {
  return <PageHead title="ServersPage" />;
}
