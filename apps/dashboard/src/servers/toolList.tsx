/** The tools of a server: effects with their origin, arguments, and a button for a call. */
import type { Tool } from '@baton/api/client';
import { declaredText } from '@baton/language';
import { ChevronDown, ChevronRight, Play } from 'lucide-react';
import { useState } from 'react';

import { useMay } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { prettyJson } from '../parts/json.ts';
import { fieldsOf } from '../parts/schemaForm.tsx';
import { CallDialog } from './callDialog.tsx';

export function ToolList({ server, tools }: { readonly server: string; readonly tools: readonly Tool[] }) {
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
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onCall: () => void;
}

function ToolRow({ tool, isOpen, onToggle, onCall }: ToolRowProps) {
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
        <span className={`chip ${effect}`} title={`Decided by: ${effectFrom}`}>
          {effect}
        </span>
        <button type="button" className="t-name" onClick={onToggle}>
          {name}
        </button>
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
