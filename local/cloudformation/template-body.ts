import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml';
import type { NoteProblem } from '../../template/values';
import { AwsError } from '../kernel/aws-error';
import { isObject, type JsonObject, jsonProblem } from '../kernel/json';

/** A document with more aliases than this could be expanded without end. */
const MOST_ALIASES = 10_000;

/**
 * Reads a template in JSON or YAML, with the short forms of functions: `!Sub`, `!GetAtt Queue.Arn`.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-formats.html
 */
export function readTemplateBody(body: string): JsonObject {
  const isJson = body.trimStart().startsWith('{');
  const problem = isJson ? jsonProblem(body) : undefined;
  if (problem) {
    const { line, column, reason } = problem;
    throw formatError(`JSON not well-formed. (line ${line}, column ${column}): ${reason}`);
  }
  const template: unknown = isJson ? JSON.parse(body) : readYaml(body);
  if (!isObject(template)) throw formatError('unsupported structure.');
  const resources = template['Resources'];
  if (resources === undefined || (isObject(resources) && Object.keys(resources).length === 0)) {
    throw formatError('At least one Resources member must be defined.');
  }
  return template;
}

function readYaml(body: string): unknown {
  const document = parseDocument(body);
  const [error] = document.errors;
  if (error) {
    const { line = 0, col = 0 } = error.linePos?.[0] ?? {};
    throw formatError(`YAML not well-formed. (line ${line}, column ${col})`);
  }
  return new YamlReader(document).valueOf(document.contents);
}

class YamlReader {
  private aliases = 0;
  /** The nodes of the aliases that are being read. */
  private readonly open = new Set<unknown>();

  constructor(private readonly document: Document) {}

  valueOf(node: unknown): unknown {
    if (isAlias(node)) {
      this.aliases += 1;
      if (this.aliases > MOST_ALIASES) throw formatError(`more than ${MOST_ALIASES} YAML aliases.`);
      const target = node.resolve(this.document);
      if (this.open.has(target)) throw formatError(`the YAML alias *${node.source} contains itself.`);
      this.open.add(target);
      const value = this.valueOf(target);
      this.open.delete(target);
      return value;
    }
    const value = this.untagged(node);
    const tag = isNode(node) ? node.tag : undefined;
    return tag?.startsWith('!') ? shortForm(tag.slice(1), value) : value;
  }

  private untagged(node: unknown): unknown {
    if (isSeq(node)) return node.items.map(item => this.valueOf(item));
    if (isScalar(node)) return node.value;
    if (!isMap(node)) return null;
    return Object.fromEntries(node.items.map(({ key, value }) => [String(this.valueOf(key)), this.valueOf(value)]));
  }
}

function shortForm(name: string, value: unknown): JsonObject {
  if (name === 'Ref' || name === 'Condition') return { [name]: value };
  if (name !== 'GetAtt' || typeof value !== 'string') return { [`Fn::${name}`]: value };
  const dot = value.indexOf('.');
  return { 'Fn::GetAtt': dot === -1 ? value : [value.slice(0, dot), value.slice(dot + 1)] };
}

function formatError(text: string): AwsError {
  return new AwsError('ValidationError', `Template format error: ${text}`);
}

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
