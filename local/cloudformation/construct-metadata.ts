import { isMembers, type Members } from '../kernel/json';

interface MetadataEntry {
  readonly path: string;
  readonly type: unknown;
  readonly data: unknown;
}

/** The construct path behind each logical id, without its leading slash. */
export function constructPaths(metadata: Members): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const { path, type, data } of entries(metadata)) {
    if (type === 'aws:cdk:logicalId' && typeof data === 'string') paths.set(data, path);
  }
  return paths;
}

/** Errors the app attached to its constructs (`Annotations.addError`): CDK deploys no such stack, and neither do we. */
export function reportedErrors(metadata: Members): readonly string[] {
  return entries(metadata)
    .filter(({ type }) => type === 'aws:cdk:error')
    .map(({ path, data }) => `${path}: ${String(data)}`);
}

function entries(metadata: Members): readonly MetadataEntry[] {
  return Object.entries(metadata).flatMap(([path, list]) =>
    Array.isArray(list)
      ? list.filter(isMembers).map(({ type, data }) => ({ path: path.replace(/^\//, ''), type, data }))
      : [],
  );
}
