import { CopyButton } from '../parts/copyButton.tsx';

/** The text of a version, with line numbers. */
export function SourceView({ source }: { readonly source: string }) {
  const lines = source.replace(/\n$/, '').split('\n');
  return (
    <div className="code source">
      <span className="copy">
        <CopyButton text={source} label="Copy the source" />
      </span>
      <div className="source-lines">
        <pre className="faint" aria-hidden="true">
          {lines.map((_, at) => `${at + 1}\n`).join('')}
        </pre>
        <pre>{source}</pre>
      </div>
    </div>
  );
}
