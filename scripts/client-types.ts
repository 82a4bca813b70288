import { format, resolveConfig } from 'prettier';
import { wrap } from '../cli/src/present/text.ts';
import { createWholeServer } from '../service/src/start/whole-server.ts';
import { createTestParts } from '../service/test/support/http/test-parts.ts';

/** A JSON Schema, as far as the OpenAPI document uses it. */
type Schema = {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  enum?: readonly (string | number)[];
  const?: string | number | boolean;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
};

type Message = { content?: Record<string, { schema?: Schema }> };

type Operation = { requestBody?: Message; responses?: Record<string, Message> };

type Paths = Record<string, Record<string, Operation>>;

type OpenapiDocument = { components: { schemas: Record<string, Schema> }; paths: Paths; webhooks: Paths };

/** Schemas whose public type has had another name since the first release. */
const publicNames: Readonly<Record<string, string>> = {
  AccountKeyList: 'KeyList',
  AccountTaskPage: 'TaskPage',
  AdminEndedRests: 'EndedRests',
  AdminTrace: 'AdminRequestTrace',
  AuditEntry: 'AuditLogEntry',
  BulkCreated: 'BulkTaskCreated',
  BulkProgress: 'BulkTaskProgress',
  BulkRequest: 'BulkTaskRequest',
  Credits: 'AccountCredits',
  Health: 'ServiceHealth',
  ListRecordColumnsItem: 'ListColumn',
  ListRecordSuggestionsItem: 'DomainSuggestion',
};

/** Schemas of file uploads, and of results that client/src/contract.ts describes more exactly. */
const leftOut: ReadonlySet<string> = new Set(['ListUpload', 'FormCheckResult']);

/** The generated files, each with its paths or webhooks. A type stands in the first file that needs it. */
const typeFiles = {
  'verification-types.ts': /^\/api\/v1\/(?:bulk-)?email-verification/,
  'account-types.ts': /^\/api\/v1\/(?:account|form-check)/,
  'list-types.ts': /^\/api\/v1\/lists/,
  'webhook-types.ts': /^(?:\/api\/v1\/webhooks|[a-z])/,
  'console-types.ts': /^\/(?:admin|session)/,
};

/** Paths that the client does not call: the protocol of the probers, and checks of the service's health. */
const notForClients = /^\/(?:probe|healthz|readyz)/;

/** Returns the types of the client by file, made from the schemas that the service serves as its OpenAPI document. */
export async function clientTypes(): Promise<Map<string, string>> {
  const document = await readDocument();
  const { schemas } = document.components;
  const operations = Object.entries({ ...document.paths, ...document.webhooks });
  const written = new Map<string, string>();
  const pages = new Map<string, string>();
  for (const [file, covered] of Object.entries(typeFiles)) {
    const here = operations.filter(([path]) => covered.test(path));
    const reached = reachedFrom(
      here.flatMap(([, byMethod]) => Object.values(byMethod)),
      schemas,
    );
    const named = [...reached].filter((name) => isNamed(name, schemas)).sort();
    const own = named.filter((name) => !written.has(name));
    for (const name of own) written.set(name, file);
    const declarations = own.map((name) => declare(name, schemas));
    const imports = importsOf(
      named.filter((name) => !own.includes(name)),
      { written, declarations },
    );
    pages.set(file, await pageOf(file, imports, declarations));
  }
  const covered = [...Object.values(typeFiles), notForClients];
  const missed = operations.map(([path]) => path).filter((path) => !covered.some((one) => one.test(path)));
  if (missed.length > 0) throw new Error(`scripts/client-types.ts has no file for ${missed.join(', ')}`);
  return pages;
}

async function readDocument(): Promise<OpenapiDocument> {
  const server = await createWholeServer(createTestParts());
  try {
    return (await server.inject('/openapi.json')).json<OpenapiDocument>();
  } finally {
    await server.close();
  }
}

/** Returns the names of the schemas that requests and successful responses refer to, directly or not. */
function reachedFrom(operations: readonly Operation[], schemas: Record<string, Schema>): Set<string> {
  const found = new Set<string>();
  const visit = (schema: Schema): void => {
    if (schema.$ref !== undefined) {
      const name = nameIn(schema.$ref);
      if (found.has(name)) return;
      found.add(name);
      visit(schemas[name] ?? {});
    }
    const inner = [schema.items, schema.additionalProperties, ...Object.values(schema.properties ?? {})];
    for (const one of [...inner, ...(schema.anyOf ?? [])]) if (typeof one === 'object') visit(one);
  };
  for (const { requestBody, responses = {} } of operations) {
    const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    for (const message of [requestBody, ...successes.map(([, response]) => response)])
      for (const { schema } of Object.values(message?.content ?? {})) if (schema !== undefined) visit(schema);
  }
  return found;
}

/** A schema with a title or a public name is a type of its own. Any other is written out at its place. */
function isNamed(name: string, schemas: Record<string, Schema>): boolean {
  return (schemas[name]?.title !== undefined || name in publicNames) && !leftOut.has(name);
}

function importsOf(
  names: readonly string[],
  { written, declarations }: { written: ReadonlyMap<string, string>; declarations: readonly string[] },
): string[] {
  const used = names.filter((name) =>
    declarations.some((text) => new RegExp(`\\b${publicName(name)}\\b`).test(text)),
  );
  return [...Map.groupBy(used, (name) => written.get(name) ?? '')].map(
    ([file, from]) => `import type { ${from.map(publicName).sort().join(', ')} } from './${file}';`,
  );
}

async function pageOf(
  file: string,
  imports: readonly string[],
  declarations: readonly string[],
): Promise<string> {
  const config = await resolveConfig(new URL(`../client/src/${file}`, import.meta.url));
  const heading =
    '/** Written by `npm run docs` from the schemas of the service. Change those, not this file. */';
  const text = [...imports, heading, ...declarations].join('\n\n');
  return await format(text, { ...config, parser: 'typescript' });
}

function declare(name: string, schemas: Record<string, Schema>): string {
  const schema = schemas[name] ?? {};
  return `${comment(schema)}export type ${publicName(name)} = ${typeOf(schema, schemas)};`;
}

function typeOf(schema: Schema, schemas: Record<string, Schema>): string {
  if (schema.$ref !== undefined) {
    const name = nameIn(schema.$ref);
    return isNamed(name, schemas) ? publicName(name) : typeOf(schemas[name] ?? {}, schemas);
  }
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, schemas)).join(' | ');
  const types = [schema.type ?? []].flat();
  if (types.length === 0) throw new Error(`no type can be made of ${JSON.stringify(schema)}`);
  const parts = types.map((type) => (type === 'null' ? 'null' : plainType(type, schema, schemas)));
  // An enumeration may name null itself.
  return parts.join(' | ').replace(/ \| null \| null$/, ' | null');
}

function plainType(type: string, schema: Schema, schemas: Record<string, Schema>): string {
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `(${typeOf(schema.items ?? {}, schemas)})[]`;
    case 'object':
      return schema.properties === undefined ? recordOf(schema, schemas) : objectOf(schema, schemas);
    default:
      throw new Error(`no type can be made of ${JSON.stringify(schema)}`);
  }
}

function objectOf({ properties = {}, required = [] }: Schema, schemas: Record<string, Schema>): string {
  const lines = Object.entries(properties).map(
    ([name, property]) =>
      `${comment(property)}${name}${required.includes(name) ? '' : '?'}: ${typeOf(property, schemas)};`,
  );
  return `{\n${lines.join('\n')}\n}`;
}

/** An object by its keys. If the keys are known, each may be missing. */
function recordOf({ additionalProperties, propertyNames }: Schema, schemas: Record<string, Schema>): string {
  if (typeof additionalProperties !== 'object') throw new Error('an object of anything has no type');
  const value = typeOf(additionalProperties, schemas);
  return propertyNames?.enum === undefined
    ? `Record<string, ${value}>`
    : `{ [Key in ${propertyNames.enum.map(literal).join(' | ')}]?: ${value} }`;
}

/** Writes the description as a comment, within the width of the code. */
function comment({ description }: Schema): string {
  if (description === undefined) return '';
  const text = /[.?!]$/.test(description) ? description : `${description}.`;
  if (text.length <= 90) return `/** ${text} */\n`;
  return ['/**', ...wrap(text, { columns: 100, first: ' * ', indent: ' * ' }), ' */', ''].join('\n');
}

function literal(value: string | number | boolean): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function publicName(name: string): string {
  return publicNames[name] ?? name;
}
