/** The tools of a server: effects with their origin, arguments, and a button for a call. */
import type { Tool } from '@baton/api/client';
import { declaredText } from '@baton/language';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronRight, Play } from 'lucide-react';
import { useState } from 'react';

import { client } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { prettyJson } from '../parts/json.ts';
import { fieldsOf } from '../parts/schemaForm.tsx';
import { CallDialog } from './callDialog.tsx';
import { ProofNotes } from './proofNotes.tsx';
import { type ToolProof, proofsOf } from './toolProofs.ts';

interface ToolListProps {
  readonly server: string;
  readonly tools: readonly Tool[];
}

const proofsMax = '100';

/** What proofs decided about changed tools of the server, by the name of the tool; none where the key may not see it. */
function useProofs(server: string): ReadonlyMap<string, readonly ToolProof[]> | undefined {
  const { data } = useQuery({
    enabled: useMay('audit:read'),
    queryKey: ['proofs'],
    queryFn: ({ signal }) => client.audit.list({ action: 'tools.repinned', limit: proofsMax }, { signal }),
    staleTime: 60_000,
  });
  return data && proofsOf(server, data.data);
}

export function ToolList({ server, tools }: ToolListProps) {
  const proofs = useProofs(server);
  const [open, setOpen] = useState<string>();
  const [calling, setCalling] = useState<Tool>();
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = tools.filter(({ name, description = '' }) => `${name} ${description}`.toLowerCase().includes(wanted));
  return (
    <>
      {tools.length > 8 && (
        <input
          className="input tool-find"
          type="search"
          aria-label="Find a tool"
          placeholder={`Find in ${tools.length} tools`}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <ul className="tools">
        {shown.map((tool) => (
          <ToolRow
            key={tool.name}
            tool={tool}
            proofs={proofs?.get(tool.name)}
            isOpen={open === tool.name}
            onToggle={() => setOpen(open === tool.name ? undefined : tool.name)}
            onCall={() => setCalling(tool)}
          />
        ))}
      </ul>
      {calling !== undefined && <CallDialog server={server} tool={calling} onClose={() => setCalling(undefined)} />}
    </>
  );
}

interface ToolRowProps {
  readonly tool: Tool;
  /** Undefined: it has not changed. */
  readonly proofs: readonly ToolProof[] | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onCall: () => void;
}

function ToolRow({ tool, proofs, isOpen, onToggle, onCall }: ToolRowProps) {
  const { name, title, description, effect, effectFrom, declared, inputSchema, outputSchema, annotations } = tool;
  const mayRun = useMay('runs:write');
  const fields = fieldsOf(inputSchema).map((field) => (field.isRequired ? field.name : `${field.name}?`));
  return (
    <li>
      <div className="row tool-row">
        <button
          type="button"
          className="t-toggle"
          aria-expanded={isOpen}
          aria-label={`Show ${name}`}
          onClick={onToggle}
        >
          {isOpen ? <ChevronDown size={13} /> : <ChevronRight size={13} />}
        </button>
        <span className={`chip t-effect ${effect}`} title={`Decided by: ${effectFrom}`}>
          {effect}
        </span>
        <button type="button" className="t-name" onClick={onToggle}>
          {name}
        </button>
        {proofs !== undefined && (
          <span className="chip good" title="A proof shows that workflows go on with it.">
            changed, proved
          </span>
        )}
        <span className="faint small cut wide-only">{fields.join(', ')}</span>
        <span className="grow dim small cut wide-only">{title ?? description}</span>
        {mayRun && (
          <Button isTiny icon={<Play size={12} />} onClick={onCall}>
            Call…
          </Button>
        )}
      </div>
      {isOpen && (
        <div className="tool-more col">
          {description !== undefined && <p className="dim pre">{description}</p>}
          <p className="small dim">
            The effect {effect} comes from: {effectFrom}.
          </p>
          {declaredText(declared).map((sentence) => (
            <p className="small dim" key={sentence}>
              {sentence}
            </p>
          ))}
          {proofs !== undefined && <ProofNotes proofs={proofs} />}
          <h3>Arguments</h3>
          <pre className="code">{prettyJson(inputSchema)}</pre>
          {outputSchema !== undefined && (
            <>
              <h3>Result</h3>
              <pre className="code">{prettyJson(outputSchema)}</pre>
            </>
          )}
          {annotations !== undefined && (
            <>
              <h3>Annotations</h3>
              <pre className="code">{prettyJson(annotations)}</pre>
            </>
          )}
        </div>
      )}
    </li>
  );
}
