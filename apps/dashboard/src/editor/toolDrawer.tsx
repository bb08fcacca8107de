/** Servers and their tools: choosing or dragging one inserts a step with the arguments that it requires. */
import type { Tool } from '@baton/api/client';
import { useState } from 'react';

import { fieldsOf } from '../parts/schemaForm.tsx';
import { stepType } from './droppedStep.ts';
import type { ServerTools } from './useKnownWorld.ts';

interface ToolDrawerProps {
  readonly servers: readonly ServerTools[];
  readonly onInsert: (step: string) => void;
}

const samples: Readonly<Record<string, string>> = {
  string: "''",
  number: '0',
  integer: '0',
  boolean: 'false',
  array: '[]',
  object: '{}',
};

const sampleOf = (type: unknown): string => (typeof type === 'string' ? samples[type] : undefined) ?? "''";

function stepOf(server: string, { name, inputSchema }: Tool): string {
  const required = fieldsOf(inputSchema).filter(({ isRequired }) => isRequired);
  const lines = required.map(({ name: field, schema }) => `    ${field}: ${sampleOf(schema['type'])}`);
  return [`- tool: ${server}/${name}`, ...(lines.length === 0 ? [] : ['  with:', ...lines])].join('\n');
}

export function ToolDrawer({ servers, onInsert }: ToolDrawerProps) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  return (
    <div className="drawer">
      <input
        className="input"
        type="search"
        aria-label="Find a tool"
        placeholder="Find a tool"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {servers.map(({ name, tools }) => {
        const shown = (tools ?? []).filter((tool) =>
          `${name}/${tool.name} ${tool.description ?? ''}`.toLowerCase().includes(wanted),
        );
        return (
          <section key={name} className="section">
            <h3>{name}</h3>
            {tools === undefined && <p className="faint small">Asking it for its tools</p>}
            {tools?.length === 0 && <p className="faint small">It offers no tools, or does not answer.</p>}
            <ul>
              {shown.map((tool) => (
                <li key={tool.name}>
                  <button
                    type="button"
                    className="drawer-tool"
                    title={`Insert a step that calls ${name}/${tool.name}`}
                    onClick={() => onInsert(stepOf(name, tool))}
                    draggable
                    onDragStart={({ dataTransfer }) => dataTransfer.setData(stepType, stepOf(name, tool))}
                  >
                    <span className={`chip ${tool.effect}`}>{tool.effect}</span>
                    <span className="cut">
                      {tool.name} <span className="faint small">{tool.title ?? tool.description}</span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}
