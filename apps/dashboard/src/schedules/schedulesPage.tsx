import { PageHead } from '../shell/pageHead.tsx';

export function SchedulesPage(_props: { readonly id?: string; readonly name?: string }) {
  return <PageHead title="SchedulesPage" />;
}
