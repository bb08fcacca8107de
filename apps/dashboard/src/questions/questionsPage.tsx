import { PageHead } from '../shell/pageHead.tsx';

export function QuestionsPage(_props: { readonly id?: string; readonly name?: string }) {
  return <PageHead title="QuestionsPage" />;
}
