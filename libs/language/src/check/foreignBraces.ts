/** Texts that other tools would read as expressions, and that Baton passes on as they stand. */
import type { TemplatePiece } from '@baton/expressions';

import type { ExpressionSite } from './checkRun.ts';

/**
 * `={{ $json.id }}`, `$json.id`, `{{ inputs.id }}`, `{% if x %}`, `${inputs.id}`, `${workflow.input.id}`: n8n, Jinja, Kestra,
 * Conductor, shells. Not `${HOME}`: a command may read it.
 */
const braces =
  /=?\{\{[^{}\n]{1,200}\}\}|\{%[^{}\n]{1,200}%\}|\$(?:json|node)\b(?:\.[\w-]+|\[[^\]\n]{1,80}\])+|\$\{\s*(?:inputs|steps|run|secrets|event|error|workflow\.input)\s*[.[][^{}\n]{1,200}\}/g;

/** A whole text that is an access: `inputs.id`, `$.steps.scan.output`, `=item.name`. */
const access = /^[$=]?\.?([A-Za-z_]\w*)((?:\.\??[A-Za-z_][\w-]*|\[[^\]\n]{1,80}\])+)$/;

/** A whole text in the braces of shells, Ruby and Python: `$(inputs.id)`, `#{inputs.id}`, `{inputs.id}`. */
const wrapped = /^(?:\$\(|[%#@]?\{)\s*([^(){}]{1,200}?)\s*[)}]$/;

export function noteForeignBraces(
  site: ExpressionSite,
  text: string,
  pieces: readonly TemplatePiece[],
  pointer: string,
): void {
  const bare = pieces.length < 2 && !hasOwnFinding.test(pointer) ? bareAccess(site, text.trim()) : undefined;
  if (bare !== undefined) {
    const start = text.indexOf(text.trim());
    report(site, pointer, start, text.trim(), `an expression is written \${{ ${bare} }}`);
  }
  let from = 0;
  for (const piece of pieces) {
    if (typeof piece !== 'string') {
      from = piece.start + piece.source.length + closing;
      continue;
    }
    for (const { index, 0: found } of piece.matchAll(braces)) report(site, pointer, from + index, found, usual);
    if (bare === undefined && site.secretsFor !== undefined) noteSecrets(site, piece, pointer, from);
    from += piece.length;
  }
}

/** Reports `Bearer secrets.TOKEN` and `key=secrets.KEY`. Prose may name a secret. */
function noteSecrets(site: ExpressionSite, piece: string, pointer: string, from: number): void {
  for (const { index, groups } of piece.matchAll(credential)) {
    const { before = '', found = '', access: read = '' } = groups ?? {};
    report(site, pointer, from + index + before.length, found, `an expression is written \${{ ${read} }}`);
  }
}

/** After a scheme, a name or a slash. */
const credential =
  /(?<before>\b(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi[Kk]ey|[Bb]ot)[ \t]+|[=:][ \t]*["']?|\/)(?<found>[$=]?(?<access>secrets\.[A-Z][A-Z0-9_]*))(?![\w.-])/g;

/** Their own check says that this is no list, or no time. */
const hasOwnFinding = /\/(?:forEach|until)$/;

/** Of the braces that end an expression. */
const closing = 2;

const usual =
  "an expression is written ${{ … }}; where the receiver is to get the braces, write the first ones as `${{ '{{' }}`";

function report({ checking }: ExpressionSite, pointer: string, at: number, found: string, hint: string): void {
  const message = 'This is a text: Baton does not read it as an expression.';
  checking.report({ code: 'not-an-expression', pointer, within: [at, at + found.length], message, found, hint });
}

/** The access, if an expression here could read it. */
function bareAccess({ checking, scope, secretsFor }: ExpressionSite, text: string): string | undefined {
  const [, root = '', rest = ''] = access.exec(wrapped.exec(text)?.[1] ?? text) ?? [];
  const [, key = ''] = /^(?:\.\??|\[["']?)([\w-]+)/.exec(rest) ?? [];
  if (root === 'secrets') return secretsFor !== undefined && rest === `.${key}` ? root + rest : undefined;
  const isThere =
    root === 'steps' ? scope.steps !== undefined && checking.index.byId.has(key) : isField(scope.names, root, key);
  return isThere ? root + rest : undefined;
}

function isField(names: ExpressionSite['scope']['names'], root: string, key: string): boolean {
  const type = names.get(root);
  return type !== undefined && (type.kind !== 'map' || type.fields.has(key));
}
