/** Checks an answer against the OpenAPI document: its status must be listed, and its body and headers must match. */
import assert from 'node:assert/strict';
import Ajv from 'ajv';
import type { Answered } from '../support/api-client.ts';

type Json = Record<string, unknown>;
type Asked = { method: string; path: string };

/**
 * Creates the check. The document's schemas are JSON Schema 2020-12 and the validator knows draft 7. Their shared
 * keywords mean the same in both, and an unknown keyword makes the validator throw, so none is ignored.
 */
export function createDocumentCheck(document: unknown) {
  const validator = new Ajv({ strictKeywords: true, strictDefaults: true, allErrors: true });
  // The target of references.
  validator.addKeyword('components', {});
  assert.equal(at(document, 'openapi'), '3.1.0');

  function holds(schema: unknown, value: unknown, where: string): void {
    assert.ok(isObject(schema), `${where} has no schema`);
    assert.ok(
      validator.validate({ allOf: [schema], components: at(document, 'components') }, value) === true,
      `${where}: ${validator.errorsText()} in ${JSON.stringify(value)}`,
    );
  }

  return ({ method, path }: Asked, { status, headers, body, text }: Answered): void => {
    const operation = operationAt(document, path, method);
    if (operation === undefined) return;
    const where = `${method} ${path} ${status}`;
    const described = at(operation, 'responses', String(status));
    // Outside the API, the document has no operation for a wrong method.
    if (described === undefined && status === 405 && !path.startsWith('/api/')) return;
    assert.ok(isObject(described), `${where} is not in the OpenAPI document`);
    if (text !== '') holds(at(described, 'content', 'application/json', 'schema'), body, where);
    // The examples of a response name its possible reasons.
    const examples = at(described, 'content', 'application/json', 'examples');
    if (status >= 400 && isObject(body) && body['status'] === 'error')
      assert.ok(
        String(body['reason']) in objectAt({ examples }, 'examples'),
        `${where} ${String(body['reason'])}`,
      );
    for (const [name, header] of Object.entries(objectAt(described, 'headers'))) {
      const value = headers[name.toLowerCase()];
      assert.ok(typeof value === 'string', `${where} lacks ${name}`);
      const schema = objectAt(header, 'schema');
      holds(schema, schema['type'] === 'integer' ? Number(value) : value, `${where} ${name}`);
    }
  };
}

/**
 * Returns the path's operation for that method, or its first one, which an answer to a wrong method is checked
 * against.
 */
function operationAt(document: unknown, path: string, method: string): unknown {
  const [bare = ''] = path.split('?', 1);
  for (const [pattern, operations] of Object.entries(objectAt(document, 'paths'))) {
    const wanted = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    if (wanted.test(bare) && isObject(operations))
      return operations[method.toLowerCase()] ?? Object.values(operations)[0];
  }
  return undefined;
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectAt(value: unknown, ...names: string[]): Json {
  const found = at(value, ...names);
  return isObject(found) ? found : {};
}

function at(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}
