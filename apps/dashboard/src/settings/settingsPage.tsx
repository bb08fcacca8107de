import { PageHead } from '../shell/pageHead.tsx';

export function SettingsPage(_props: { readonly id?: string; readonly name?: string }) {
  return <PageHead title="SettingsPage" />;
}
