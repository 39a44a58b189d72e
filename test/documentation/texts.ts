import ts from 'typescript';

import { readProjectFile } from '../../tools/project';
import { FILES } from './pages';

/** The published sources. */
export const SOURCES: ReadonlyMap<string, string> = new Map(
  FILES.filter((file) => /^(nodes|credentials)\/.*\.ts$/.test(file)).map((file) => [file, readProjectFile(file)]),
);

/** The sentences of failures and errors that the sources give, by file, with "…" for what is put in as the node runs. */
export function failureMessages(): Array<{ file: string; message: string }> {
  return [...SOURCES].flatMap(([file, text]) => {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      const message = messageOf(node);
      if (message !== undefined) found.push(...textsOf(message));
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
    return [...new Set(found)].filter((message) => /^[A-Z]|^n8n /.test(message)).map((message) => ({ file, message }));
  });
}

/** The expression for the message, where a failure or an error is made; `wrong()` makes that of a phone number. */
function messageOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isObjectLiteralExpression(node)) {
    const properties = new Map(
      node.properties
        .filter(ts.isPropertyAssignment)
        .map(({ name, initializer }) => [ts.isIdentifier(name) ? name.text : '', initializer]),
    );
    return properties.has('description') || properties.has('scope') ? properties.get('message') : undefined;
  }
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text.endsWith('Error'))
    return node.arguments?.[0];
  if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return undefined;
  return { unsendable: node.arguments[2], wrong: node.arguments[0] }[node.expression.text];
}

function textsOf(expression: ts.Expression): string[] {
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (ts.isTemplateExpression(expression))
    return [[expression.head.text, ...expression.templateSpans.map(({ literal }) => literal.text)].join('…')];
  if (ts.isConditionalExpression(expression))
    return [...textsOf(expression.whenTrue), ...textsOf(expression.whenFalse)];
  // at(sentence, place)
  if (ts.isCallExpression(expression) && expression.arguments[0] !== undefined) return textsOf(expression.arguments[0]);
  return [];
}
