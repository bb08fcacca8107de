import { Document, Scalar, visit } from 'yaml';

/**
 * `value` as YAML 1.2 that means the same when it is read. `lineWidth` is in characters; 0 folds no line.
 * `mustEscape` says which texts need escapes, which YAML knows only between double quotes.
 */
export function printYaml(
  value: unknown,
  lineWidth: number,
  mustEscape: (text: string) => boolean = () => false,
): string {
  const document = new Document(value, { version: '1.2', aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar) {
      const text = scalar.value;
      if (typeof text === 'string' && (mustEscape(text) || isBlankLines(text))) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth });
}

/** As a block, a text of blank lines would lose its blanks: nothing in it shows where its indentation ends. */
const isBlankLines = (text: string): boolean => /^[ \t\n]*\n[ \t\n]*$/.test(text);
