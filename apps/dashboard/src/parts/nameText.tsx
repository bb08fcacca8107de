/** A name such as `files/read_text_file`, which wraps after punctuation and never inside a word. */
import { Fragment } from 'react';

export function NameText({ name }: { readonly name: string }) {
  return name.split(/(?<=[/_.:-])(?=\w)/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
