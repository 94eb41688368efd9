import { JSONPath } from 'jsonpath-plus';
import { TemplateFailure } from './template-failure';

/**
 * What a JSONPath expression finds: one value for a definite path, a list for one with wildcards, undefined for nothing.
 * Filter expressions are evaluated by a small interpreter, never as code.
 *
 * @throws TemplateFailure when the path cannot be followed
 */
export function jsonPath(document: unknown, path: string): unknown {
  if (path === '$') return document;
  if (typeof document !== 'object' || document === null) return undefined;
  try {
    return JSONPath({ path, json: document, wrap: false, eval: 'safe' });
  } catch (error) {
    throw new TemplateFailure(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
