import type { Edition } from '@baton/expressions';

import type { PlacedStep } from '../document/inner.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Block, DecidedEffect, Step, ToolPin, ToolSchemas } from '../plan.ts';
import type { ToolDeclaration } from '../servers/declaration.ts';

/** Shared by the whole compilation. */
export interface Compilation {
  readonly edition: Edition;
  readonly defaults: NonNullable<Workflow['defaults']>;
  readonly effectOf: (server: string, tool: string) => DecidedEffect;
  readonly pinOf: (server: string, tool: string) => ToolPin | undefined;
  readonly declarationOf: (server: string, tool: string) => ToolDeclaration | undefined;
  readonly schemasOf: (server: string, tool: string) => ToolSchemas | undefined;
}

/** Compiles the steps inside a step. */
export interface InnerSteps {
  block(steps: readonly PlacedStep[], pointer: string, prefix?: string): Block;
  step(step: PlacedStep, key: string): Step;
}
