import { PageHead } from '../shell/pageHead.tsx';

export function WorkflowPage(_props: { readonly id?: string; readonly name?: string }) {
  return <PageHead title="WorkflowPage" />;
}
