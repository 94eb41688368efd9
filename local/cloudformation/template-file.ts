import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { NoteProblem } from '../../template/values';
import { AwsError } from '../kernel/aws-error';
import type { JsonObject } from '../kernel/json';
import { readTemplateBody } from './template-body';

const TEMPLATE_FILE = /\.(?:json|ya?ml|template)$/i;

/** Reads a template in JSON or YAML; undefined, with the problem recorded, when it is neither. */
export function readTemplateFile(path: string, note: NoteProblem): JsonObject | undefined {
  try {
    return readTemplateBody(readFileSync(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    note(`${path}: ${error.message}`);
    return undefined;
  }
}

/** The name of a stack for a template file: `orders` for `orders.template.yaml`. */
export function stackNameOf(path: string): string {
  const name = basename(path)
    .replace(/(?:\.template)?\.\w+$/, '')
    .replaceAll(/[^a-zA-Z0-9-]+/g, '-')
    .replaceAll(/^[^a-zA-Z]+|-+$/g, '');
  return name === '' ? 'Template' : name;
}

/** The templates in the folder of a template, by their names: it can nest them by relative paths. */
export function templatesBeside(path: string): ReadonlyMap<string, string> {
  const folder = dirname(path);
  const names = readdirSync(folder).filter(name => TEMPLATE_FILE.test(name));
  return new Map(names.map(name => [name, join(folder, name)]));
}
