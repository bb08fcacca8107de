/** A name such as `files/read_text_file`: a line that is too short for it breaks after a sign, and never in a word. */
import { Fragment } from 'react';

export function NameText({ name }: { readonly name: string }) {
  return name.split(/(?<=[/_.:-])(?=\w)/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
