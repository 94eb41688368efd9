import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject, type JsonObject, parseObject } from '../../policy/json-members';
import { nestedStackPath } from '../../template/construct-metadata';
import type { NestedTemplate, ReadTemplate } from '../../template/template-stack';

/**
 * Returns the construct path of each logical id in a template.
 * @param scope the path of a nested stack, or empty if it is unknown @default - the stack itself
 */
type PathsOf = (templatePath: string, scope?: string) => ReadonlyMap<string, string>;

const ASSETS = '.assets.json';

function memberOf(value: unknown, name: string): JsonObject {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
}

/** The asset files of an assembly, by the name they are published under. */
function publishedFiles(folder: string): ReadonlyMap<string, string> {
  const manifests = readdirSync(folder).filter(file => file.endsWith(ASSETS));
  const files = manifests.flatMap(it => Object.values(memberOf(readJson(path.join(folder, it)), 'files')));
  return new Map(
    files.flatMap(file => {
      const { path: source } = memberOf(file, 'source');
      if (typeof source !== 'string') return [];
      const keys = Object.values(memberOf(file, 'destinations')).map(it => memberOf({ it }, 'it')['objectKey']);
      return keys.flatMap(key => (typeof key === 'string' ? [[path.posix.basename(key), source] as const] : []));
    }),
  );
}

function readJson(file: string): unknown {
  return parseObject(readFileSync(file, 'utf8'));
}

/**
 * Reads a template of an assembly with its nested stacks.
 *
 * @param scope see `PathsOf`
 * @throws Error of the file system if it cannot be read
 */
export function synthesizedTemplate(templatePath: string, pathsOf: PathsOf, scope?: string): ReadTemplate {
  const constructPaths = pathsOf(templatePath, scope);
  const folder = path.dirname(templatePath);
  const nested = ({ logicalId, templateUrl = '', assetPath }: NestedTemplate): ReadTemplate | undefined => {
    const file = assetPath ?? publishedFiles(folder).get(path.posix.basename(templateUrl));
    const found = file === undefined ? undefined : path.join(folder, file);
    if (found === undefined || !existsSync(found)) return undefined;
    const read = synthesizedTemplate(found, pathsOf, nestedStackPath(constructPaths.get(logicalId) ?? ''));
    return isObject(read.template) ? read : undefined;
  };
  return { template: readJson(templatePath), templatePath, constructPaths, nested };
}
