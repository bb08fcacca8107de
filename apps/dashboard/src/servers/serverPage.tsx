import { PageHead } from '../shell/pageHead.tsx';

export function ServerPage(_props: { readonly id?: string; readonly name?: string }) {
  return <PageHead title="ServerPage" />;
}
