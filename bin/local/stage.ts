import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BadInput } from '../../account/errors';
import { isObject, parseObject } from '../../policy/json-members';

/**
 * The folder of a stage's own assembly in the assembly of its app.
 *
 * @param assembly the folder of the app's assembly, for example `cdk.out`
 * @param stage the id of the stage in the app, for example `Prod`, or its path for a stage inside another one
 * @throws BadInput that lists the stages when there is none of this name
 */
export function stageFolder(assembly: string, stage: string): string {
  const stages = stagesIn(assembly);
  const folder = stages.get(stage);
  if (folder !== undefined) return folder;
  const names = [...stages.keys()].join(', ') || 'none';
  throw new BadInput([`--stage must be a stage of the app, got ${JSON.stringify(stage)}: the stages are ${names}`]);
}

function stagesIn(folder: string): ReadonlyMap<string, string> {
  const file = path.join(folder, 'manifest.json');
  const manifest = existsSync(file) ? parseObject(readFileSync(file, 'utf8')) : undefined;
  const artifacts = isObject(manifest?.['artifacts']) ? Object.entries(manifest['artifacts']) : [];
  const nested = artifacts.flatMap(([id, artifact]): (readonly [string, string])[] => {
    if (!isObject(artifact) || artifact['type'] !== 'cdk:cloud-assembly') return [];
    const { directoryName = id, displayName = id } = isObject(artifact['properties']) ? artifact['properties'] : {};
    const own = path.join(folder, String(directoryName));
    return [[String(displayName), own], ...stagesIn(own)];
  });
  return new Map(nested);
}
