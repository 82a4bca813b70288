import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import Ajv from 'ajv';
import { isObject } from '../../../src/core/http/pipeline/parse-body.ts';

/** An answer as a test holds it, whatever brought it. */
type HeldAnswer = { statusCode: number; headers: Record<string, unknown>; body: string };

/**
 * Holds answers against the OpenAPI document the service itself hands out: status, body and headers. Used by
 * the tests of the HTTP side, so that no test can pass on an answer the document does not know.
 */
export function createContractCheck(document: unknown) {
  const validator = new Ajv();
  return (path: string, answer: HeldAnswer, method?: string): void => {
    const operation = operationAt(document, path, method);
    const where = `${method ?? ''} ${path} ${answer.statusCode}`;
    const response = at(operation, 'responses', String(answer.statusCode));
    assert.ok(response !== undefined, `${where} is not in the OpenAPI document`);
    if (answer.statusCode >= 400 && path !== '/readyz') holdReason(response, answer.body, where);
    if (answer.statusCode === 204) assert.equal(answer.body, '', `${where} has a body`);
    else holdBody(response, answer.body, where);
    for (const name of Object.keys(objectAt(response, 'headers'))) {
      assert.ok(answer.headers[name.toLowerCase()] !== undefined, `${where} lacks ${name}`);
    }
    // What is not ready says why, to machines that ask for the status alone.
    if (answer.statusCode >= 400 && path !== '/readyz')
      assertErrorShape(answer, { costs: path.startsWith('/api/') });
  };

  function holdBody(response: unknown, text: string, where: string): void {
    const schema = at(response, 'content', 'application/json', 'schema');
    assert.ok(isObject(schema), `${where} has no schema`);
    const body: unknown = JSON.parse(text);
    const fits = validator.validate(withComponents(schema, document), body);
    assert.ok(fits === true, `${where}: ${validator.errorsText()} in ${text}`);
  }
}

/** The reasons that a response may have are those of its examples. */
function holdReason(response: unknown, text: string, where: string): void {
  const examples = objectAt(response, 'content', 'application/json', 'examples');
  const reason = String(at(JSON.parse(text), 'reason'));
  assert.ok(reason in examples, `${where}: ${reason} is none of ${Object.keys(examples).join(', ')}`);
}

/** A schema with what its references lead to. */
function withComponents(schema: object, document: unknown): object {
  return { allOf: [schema], components: at(document, 'components') };
}

function assertErrorShape({ body, headers }: HeldAnswer, { costs }: { costs: boolean }): void {
  const parsed: unknown = JSON.parse(body);
  // A file that is no list is refused with a detail beside the reason; nothing else is.
  const isOfFile =
    isObject(parsed) && /^(?:invalid_list|list_too_large|unsupported_file)$/.test(String(parsed['reason']));
  const keys = isOfFile ? ['status', 'reason', 'detail'] : ['status', 'reason'];
  assert.ok(isObject(parsed) && isDeepStrictEqual(Object.keys(parsed), keys), body);
  assert.equal(parsed['status'], 'error');
  assert.equal(headers['x-credits-used'], costs ? '0' : undefined);
}

/** The operation of the method; a method that the path does not have is held against the first. */
function operationAt(document: unknown, path: string, method = ''): unknown {
  const operations = objectAt(document, 'paths', path);
  return operations[method.toLowerCase()] ?? Object.values(operations)[0];
}

function objectAt(value: unknown, ...names: string[]): Record<string, unknown> {
  const found = at(value, ...names);
  return isObject(found) ? found : {};
}

function at(value: unknown, ...names: string[]): unknown {
  return names.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}
