import { isObject, type JsonObject, parseObject } from '../policy/json-members';
import { constructPaths, nestedStackPath, pathsIn } from './construct-metadata';
import type { NestedTemplate, ReadTemplate, TemplateStack } from './template-stack';

/**
 * Returns the construct path of each logical id in a template.
 * @param scope the path of a nested stack, or empty if it is unknown @default - the stack itself
 */
type PathsOf = (templatePath: string, scope?: string) => ReadonlyMap<string, string>;

/** Reads the files of a cloud assembly. This folder has no access to files. */
export interface AssemblyFiles {
  readonly list: (folder: string) => readonly string[];
  readonly exists: (file: string) => boolean;
  readonly readText: (file: string) => string;
  readonly folderOf: (file: string) => string;
  readonly join: (folder: string, file: string) => string;
}

const ASSETS = '.assets.json';

function memberOf(value: unknown, name: string): JsonObject {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
}

function publishedFiles(files: AssemblyFiles, folder: string): ReadonlyMap<string, string> {
  const manifests = files.list(folder).filter(file => file.endsWith(ASSETS));
  const assets = manifests.flatMap(it =>
    Object.values(memberOf(parseObject(files.readText(files.join(folder, it))), 'files')),
  );
  return new Map(
    assets.flatMap(file => {
      const { path: source } = memberOf(file, 'source');
      if (typeof source !== 'string') return [];
      const keys = Object.values(memberOf(file, 'destinations')).map(it => memberOf({ it }, 'it')['objectKey']);
      return keys.flatMap(key => (typeof key === 'string' ? [[lastSegment(key), source] as const] : []));
    }),
  );
}

/** The part of a URL or an object key after the last slash. */
function lastSegment(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/**
 * Reads a template of an assembly with its nested stacks.
 *
 * @param scope see `PathsOf`
 * @throws Error of the file system if it cannot be read
 */
export function synthesizedTemplate(
  files: AssemblyFiles,
  templatePath: string,
  pathsOf: PathsOf,
  scope?: string,
): ReadTemplate {
  const constructPaths = pathsOf(templatePath, scope);
  const folder = files.folderOf(templatePath);
  const nested = ({ logicalId, templateUrl = '', assetPath }: NestedTemplate): ReadTemplate | undefined => {
    const file = assetPath ?? publishedFiles(files, folder).get(lastSegment(templateUrl));
    const found = file === undefined ? undefined : files.join(folder, file);
    if (found === undefined || !files.exists(found)) return undefined;
    const read = synthesizedTemplate(files, found, pathsOf, nestedStackPath(constructPaths.get(logicalId) ?? ''));
    return isObject(read.template) ? read : undefined;
  };
  return { template: parseObject(files.readText(templatePath)), templatePath, constructPaths, nested };
}

const ENVIRONMENT = /^aws:\/\/([^/]+)\/([^/]+)$/;

function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The file of a stack's template, from the stack's artifact in the manifest of a cloud assembly. */
export function templatePathOf(files: AssemblyFiles, folder: string, { properties }: JsonObject): string {
  return files.join(folder, String(membersOf(properties)['templateFile']));
}

/** The metadata of a stack's constructs. Newer assemblies have it in a separate file. */
export function stackMetadata(
  files: AssemblyFiles,
  folder: string,
  { metadata, additionalMetadataFile: file }: JsonObject,
): JsonObject {
  const found = typeof file === 'string' ? files.join(folder, file) : undefined;
  const further = found !== undefined && files.exists(found) ? parseObject(files.readText(found)) : undefined;
  return { ...membersOf(metadata), ...further };
}

/**
 * Reads a stack from its artifact in the manifest of a cloud assembly.
 * @throws Error of the file system if the template cannot be read
 */
export function manifestStack(files: AssemblyFiles, folder: string, id: string, artifact: JsonObject): TemplateStack {
  const properties = membersOf(artifact['properties']);
  const { stackName = id } = properties;
  const [, account, region] = ENVIRONMENT.exec(String(artifact['environment'])) ?? [];
  const constructs = constructPaths(stackMetadata(files, folder, artifact));
  const paths = (_: string, scope?: string) => pathsIn(constructs, scope);
  const read = synthesizedTemplate(files, templatePathOf(files, folder, artifact), paths);
  const { displayName: stackPath = id } = artifact;
  const parameters = membersOf(properties['parameters']);
  return { ...read, stackName: String(stackName), stackPath: String(stackPath), account, region, parameters };
}
