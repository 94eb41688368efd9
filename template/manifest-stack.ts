import { isObject, type JsonObject, parseObject } from '../policy/json-members';
import { constructPaths, pathsIn } from './construct-metadata';
import { type AssemblyFiles, synthesizedTemplate } from './synthesized-template';
import type { TemplateStack } from './template-stack';

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
