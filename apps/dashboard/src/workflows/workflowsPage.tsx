import { PageHead } from '../shell/pageHead.tsx';

export function WorkflowsPage(_props: { readonly id?: string; readonly name?: string }) {
  return <PageHead title="WorkflowsPage" />;
}
