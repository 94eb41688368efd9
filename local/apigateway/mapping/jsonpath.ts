import { JSONPath } from 'jsonpath-plus';

/**
 * What a JSONPath expression finds: one value for a definite path, a list for one with wildcards, undefined for nothing.
 * Filter expressions are evaluated by a small interpreter, never as code.
 */
export function jsonPath(document: unknown, path: string): unknown {
  if (path === '$') return document;
  if (typeof document !== 'object' || document === null) return undefined;
  return JSONPath({ path, json: document, wrap: false, eval: 'safe' });
}
