import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { NoteProblem } from '../../template/problems';
import type { Members } from '../kernel/json';
import { membersOf, readJsonObject, stringMember } from './json';

/** Paths on disk by the S3 object key under which the assembly publishes them. */
export type AssetPaths = ReadonlyMap<string, string>;

/**
 * Reads an asset manifest (`Stack.assets.json`). A file asset is a path relative to the manifest, and one destination
 * for each account and Region it goes to.
 *
 * @see https://docs.aws.amazon.com/cdk/v2/guide/assets.html
 */
export function readAssetManifest(manifestPath: string, note: NoteProblem): AssetPaths {
  const paths = new Map<string, string>();
  const manifest = readJsonObject(manifestPath, note);
  if (!manifest) return paths;
  for (const [id, file] of Object.entries(membersOf(manifest['files'], `${manifestPath} files`, note))) {
    const asset = membersOf(file, `${manifestPath} files.${id}`, note);
    const path = sourcePath(asset, { id, manifestPath, note });
    if (path === undefined) continue;
    for (const key of objectKeys(asset, `${manifestPath} files.${id}.destinations`, note)) paths.set(key, path);
  }
  for (const id of Object.keys(membersOf(manifest['dockerImages'], `${manifestPath} dockerImages`, note))) {
    note(`${manifestPath}: the Docker image asset ${id} is not implemented by the embedded AWS`);
  }
  return paths;
}

function sourcePath(
  asset: Members,
  { id, manifestPath, note }: { id: string; manifestPath: string; note: NoteProblem },
): string | undefined {
  const name = `${manifestPath}: asset ${stringMember(asset, 'displayName') ?? id}`;
  const source = membersOf(asset['source'], `${name} source`, note);
  const relative = stringMember(source, 'path');
  if (relative === undefined) {
    note(`${name} has no source.path: assets made by an executable are not implemented by the embedded AWS`);
    return undefined;
  }
  const path = resolve(dirname(manifestPath), relative);
  if (existsSync(path)) return path;
  note(`${name} is missing: there is nothing at ${path}`);
  return undefined;
}

function objectKeys(asset: Members, what: string, note: NoteProblem): readonly string[] {
  return Object.entries(membersOf(asset['destinations'], what, note)).flatMap(([name, destination]) => {
    const key = stringMember(membersOf(destination, `${what}.${name}`, note), 'objectKey');
    if (key === undefined) note(`${what}.${name}.objectKey is required`);
    return key ?? [];
  });
}
