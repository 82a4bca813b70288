import { isUtf8 } from 'node:buffer';
import { findJsonFault, type JsonFault } from './find-json-fault.ts';

/**
 * The one way a body is read. There is a single parser for every type, and it looks at the header itself,
 * so that no spelling of a content type can lead past the checks.
 */
type ReadBody = { kind: 'read'; body: Record<string, unknown> } | { kind: 'refused'; fault: BodyFault };

type BodyFault = JsonFault | 'content_type' | 'content_encoding' | 'not_utf8' | 'broken_json' | 'no_object';

type BodyHeaders = { 'content-type'?: string | undefined; 'content-encoding'?: string | undefined };

export function parseBody(headers: BodyHeaders, bytes: Buffer): ReadBody {
  if (!isJson(headers['content-type'])) return refused('content_type');
  if (!isIdentity(headers['content-encoding'])) return refused('content_encoding');
  const text = decode(bytes);
  if (text === undefined) return refused('not_utf8');
  const fault = findJsonFault(text);
  if (fault !== undefined) return refused(fault);
  const parsed = parse(text);
  if (parsed === undefined) return refused('broken_json');
  return isObject(parsed.value) ? { kind: 'read', body: parsed.value } : refused('no_object');
}

function refused(fault: BodyFault): ReadBody {
  return { kind: 'refused', fault };
}

/** `application/json`, in any case, with any parameters (they have no meaning: RFC 8259 section 11). */
function isJson(contentType: string | undefined): boolean {
  return /^application\/json[\t ]*$/i.test(contentType?.split(';', 1)[0] ?? '');
}

/** Compressed bodies are not taken: 80 bytes of them can stand for 50 MB. */
function isIdentity(contentEncoding: string | undefined): boolean {
  return contentEncoding === undefined || contentEncoding.toLowerCase() === 'identity';
}

const byteOrderMark = '\ufeff';

/**
 * JSON is UTF-8 (RFC 8259 section 8.1); a sequence that is not is refused rather than replaced. A byte order mark in
 * front of it is passed over.
 */
function decode(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
