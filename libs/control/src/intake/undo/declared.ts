/** What was declared for the tools of a run when its version was made, as far as their servers still allow it. */
import { type DecidedEffect, type ResolvedDeclaration, resolveDeclaration, splitTarget } from '@baton/language';
import type { Pin, Pins } from '@baton/store';

import type { CatalogueCache, ServerAnswer } from '../../deploy/catalogueCache.ts';
import { effectOf, pinOf } from '../../deploy/pins.ts';
import { reasonFor } from '../../keys/keyAccess.ts';
import { personBehind } from '../../keys/personBehind.ts';
import type { Principal } from '../../keys/scopes.ts';

export type Declared = (server: string, tool: string) => ResolvedDeclaration;

export interface DeclaredThen {
  readonly declared: Declared;
  /** Of the tool as it is now; of a server that does not answer, as it was. */
  readonly pin: (server: string, tool: string) => Pin;
}

/** Asks the servers of the tools that have something declared. */
export async function declaredThen(catalogues: CatalogueCache, pins: Pins, caller: Principal): Promise<DeclaredThen> {
  const withUndo = Object.entries(pins).filter(([, { undo }]) => undo !== undefined);
  const servers = new Set(withUndo.map(([key]) => splitTarget(key)[0]));
  const asked = await catalogues.ask(servers, (failure) => reasonFor(caller, failure), {}, personBehind(caller));
  const offers = new Map([...asked].map(([name, { offer }]) => [name, offer]));
  const effects = (server: string, tool: string): DecidedEffect | undefined => {
    const answer = asked.get(server);
    return answer && effectOf(tool, toolOf(answer, tool), answer.policy);
  };
  return {
    declared: (server, tool) => {
      const { check, undo } = pinIn(pins, server, tool) ?? {};
      return resolveDeclaration({ check, undo }, { server, tool }, { servers: offers, effects });
    },
    pin: (server, tool) => {
      const answer = asked.get(server);
      const before = pinIn(pins, server, tool);
      if (answer?.tools !== undefined || before === undefined) {
        const { effect, from }: DecidedEffect = effects(server, tool) ?? { effect: 'write', from: 'default' };
        return answer === undefined ? { effect, from } : pinOf(tool, answer);
      }
      return before;
    },
  };
}

const toolOf = ({ tools }: ServerAnswer, tool: string) => tools?.find(({ name }) => name === tool);

const pinIn = (pins: Pins, server: string, tool: string): Pin | undefined => {
  const key = `${server}/${tool}`;
  return Object.hasOwn(pins, key) ? pins[key] : undefined;
};
