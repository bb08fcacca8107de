import { PageHead } from '../shell/pageHead.tsx';

export function EditorPage(_props: { readonly id?: string; readonly name?: string }) {
  return <PageHead title="EditorPage" />;
}
