/**
 * Moves every record of an OpenAPI document to `components.schemas` and leaves a `$ref` in its place, so that a generator
 * makes one type of it, with a name that stays. A record is named by its `title`, else after the operation and the
 * properties that lead to it; records that are the same have one name.
 */
type Json = Record<string, unknown>;

export function nameSchemas(document: Json): Json {
  const named = new Map<string, { content: string; schema: Json }>();
  const nameOf = new Map<string, string>();

  function reference(name: string, schema: Json): Json {
    const content = contentOf(schema);
    const known = nameOf.get(content) ?? name;
    const other = named.get(known);
    if (other !== undefined && other.content !== content)
      throw new Error(`two schemas of the OpenAPI document are called ${known}`);
    nameOf.set(content, known);
    if (other === undefined) named.set(known, { content, schema });
    return { $ref: `#/components/schemas/${known}` };
  }

  /** The schema with all records in it replaced, innermost first. */
  function visit(schema: unknown, name: string): unknown {
    if (Array.isArray(schema)) return schema.map((one: unknown, n) => visit(one, `${name}${n + 1}`));
    if (!isJson(schema)) return schema;
    const own = typeof schema['title'] === 'string' ? schema['title'] : name;
    const inner: Json = { ...schema };
    if (isJson(schema['properties']))
      inner['properties'] = mapValues(schema['properties'], (property, key) =>
        visit(property, own + pascal(key)),
      );
    for (const [key, ending] of Object.entries({ items: 'Item', additionalProperties: 'Value', anyOf: '' }))
      if (key in schema) inner[key] = visit(schema[key], own + ending);
    return isJson(schema['properties']) ? reference(own, inner) : orNull(inner);
  }

  const visitAll = (operationsByPath: unknown) =>
    mapValues(asJson(operationsByPath), (operations) =>
      mapValues(asJson(operations), (operation) => visitOperation(asJson(operation), visit)),
    );
  const paths = visitAll(document['paths']);
  const webhooks = visitAll(document['webhooks']);
  const schemas = [...named].map(([name, { schema }]): [string, Json] => [name, schema]);
  schemas.sort(([a], [b]) => (a < b ? -1 : 1));
  const components = { ...asJson(document['components']), schemas: Object.fromEntries(schemas) };
  return { ...document, components, paths, webhooks };
}

/** "This or null" in the one form that every generator knows: a list of two types. A reference cannot be written so. */
function orNull({ anyOf, ...rest }: Json): Json {
  const [one, other, ...more] = Array.isArray(anyOf) ? anyOf.map(asJson) : [];
  const isOptional = other?.['type'] === 'null' && typeof one?.['type'] === 'string' && more.length === 0;
  if (!isOptional) return anyOf === undefined ? rest : { ...rest, anyOf };
  return { ...one, ...rest, type: [one['type'], 'null'] };
}

const notContent: ReadonlySet<string> = new Set(['title', 'description', 'examples']);

/** What is said about a record differs from place to place; what it holds is what makes it the same. */
function contentOf(schema: Json): string {
  return JSON.stringify(Object.entries(schema).filter(([key]) => !notContent.has(key)));
}

function visitOperation(operation: Json, visit: (schema: unknown, name: string) => unknown): Json {
  const id = pascal(String(operation['operationId']));
  const withContent = (message: unknown, name: string): Json => ({
    ...asJson(message),
    ...(isJson(message) && isJson(message['content'])
      ? {
          content: mapValues(message['content'], (body) => ({
            ...asJson(body),
            schema: visit(asJson(body)['schema'], name),
          })),
        }
      : {}),
  });
  return {
    ...operation,
    ...('requestBody' in operation
      ? { requestBody: withContent(operation['requestBody'], `${id}Request`) }
      : {}),
    responses: mapValues(asJson(operation['responses']), (response) =>
      withContent(response, `${id}Response`),
    ),
  };
}

function mapValues(object: Json, change: (value: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

/** `verifyEmail` and `by_provider` as names of types. */
export function pascal(name: string): string {
  return name.replace(/(?:^|[_-])([a-z\d])/g, (_, first: string) => first.toUpperCase());
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asJson(value: unknown): Json {
  return isJson(value) ? value : {};
}
