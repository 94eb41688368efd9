import { isObject, type JsonObject } from '../policy/json-members';

interface MetadataEntry {
  readonly path: string;
  readonly type: unknown;
  readonly data: unknown;
}

/** A construct of the app and the logical id of its resource. */
export interface ConstructPath {
  /** Without its leading slash. */
  readonly path: string;
  readonly logicalId: string;
}

/** Every construct with a resource, in the stack or in its nested stacks. */
export function constructPaths(metadata: JsonObject): readonly ConstructPath[] {
  return entries(metadata).flatMap(({ path, type, data }) =>
    type === 'aws:cdk:logicalId' && typeof data === 'string' ? [{ path, logicalId: data }] : [],
  );
}

/** CDK puts the resource of a nested stack `App/Nested` at `App/Nested.NestedStack/Nested.NestedStackResource`. */
const NESTED_STACK = /\.NestedStack\/[^/]*$/;

export function nestedStackPath(resourcePath: string): string {
  return resourcePath.replace(NESTED_STACK, '');
}

/**
 * Construct paths by logical id, for one stack only: two stacks may use the same logical ids.
 *
 * @param scope the path of a nested stack @default - the stack itself
 */
export function pathsIn(constructs: readonly ConstructPath[], scope?: string): ReadonlyMap<string, string> {
  const within = scope === undefined ? constructs : constructs.filter(({ path }) => path.startsWith(`${scope}/`));
  const nested = within.filter(({ path }) => NESTED_STACK.test(path)).map(({ path }) => `${nestedStackPath(path)}/`);
  const own = within.filter(({ path }) => !nested.some(prefix => path.startsWith(prefix)));
  return new Map(own.map(({ logicalId, path }) => [logicalId, path]));
}

/**
 * Errors that the app added to its constructs (`Annotations.addError`). CDK does not deploy a stack with errors, and
 * neither do we.
 */
export function reportedErrors(metadata: JsonObject): readonly string[] {
  return entries(metadata)
    .filter(({ type }) => type === 'aws:cdk:error')
    .map(({ path, data }) => `${path}: ${String(data)}`);
}

function entries(metadata: JsonObject): readonly MetadataEntry[] {
  return Object.entries(metadata).flatMap(([path, list]) =>
    Array.isArray(list)
      ? list.filter(isObject).map(({ type, data }) => ({ path: path.replace(/^\//, ''), type, data }))
      : [],
  );
}
