import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { BadInput } from '../../account/errors';
import { type Acknowledged, acknowledgedIn, OWN_IDS } from '../../diagnosis/checks/acknowledged';
import { isObject, type JsonObject, parseObject } from '../../policy/json-members';
import type { AssemblyFiles } from '../../template/synthesized-template';
import { manifestStack, stackMetadata, templatePathOf } from '../../template/synthesized-template';
import type { TemplateStack } from '../../template/template-stack';

/** The stacks of an app, or of one of its stages. They are deployed together. */
export interface StackGroup {
  readonly folder: string;
  readonly stacks: readonly TemplateStack[];
  readonly acknowledged: readonly Acknowledged[];
}

const FILES: AssemblyFiles = {
  list: folder => readdirSync(folder),
  exists: existsSync,
  readText: file => readFileSync(file, 'utf8'),
  folderOf: path.dirname,
  join: path.join,
};

const MANIFEST = 'manifest.json';

function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function readManifest(folder: string): JsonObject {
  const file = path.join(folder, MANIFEST);
  const manifest = parseObject(readFileSync(file, 'utf8'));
  if (manifest === undefined)
    throw new BadInput([`${file} must be the manifest of a cloud assembly, but is not a JSON object`]);
  return membersOf(manifest['artifacts']);
}

function stackOf(id: string, artifact: JsonObject, folder: string): TemplateStack {
  const templatePath = templatePathOf(FILES, folder, artifact);
  if (!existsSync(templatePath)) throw new BadInput([`${templatePath} does not exist, but ${MANIFEST} refers to it`]);
  const stack = manifestStack(FILES, folder, id, artifact);
  if (!isObject(stack.template)) throw new BadInput([`${templatePath} must be a template, but is not a JSON object`]);
  const problem = resourceProblem(stack.template);
  if (problem !== undefined) throw new BadInput([`${templatePath} ${problem}`]);
  return stack;
}

/** Why CloudFormation does not take the resources of a template; undefined if it does. Macros and loops are names that begin with `Fn::`. */
export function resourceProblem({ Resources = {} }: JsonObject): string | undefined {
  if (!isObject(Resources)) return 'must be a template, but its Resources are not an object';
  const wrong = Object.entries(Resources).find(
    ([name, it]) => !name.startsWith('Fn::') && !(isObject(it) && typeof it['Type'] === 'string'),
  );
  return wrong && `must be a template, but its resource ${wrong[0]} has no Type`;
}

const REPORT = 'validation-report.json';

/**
 * Reads the stacks of a cloud assembly and of its nested assemblies, grouped by deployment.
 *
 * @throws BadInput when the assembly does not exist, or a part of it cannot be read
 */
export function readStacks(directory: string): readonly StackGroup[] {
  const groups = groupsIn(directory, []);
  const file = path.join(directory, REPORT);
  const report = existsSync(file) ? parseObject(readFileSync(file, 'utf8')) : undefined;
  const byReport = acknowledgedByReport(membersOf(report));
  return groups.map(it => ({ ...it, acknowledged: [...it.acknowledged, ...byReport] }));
}

function groupsIn(directory: string, around: readonly string[]): readonly StackGroup[] {
  const folder = path.resolve(directory);
  if (around.includes(folder)) {
    throw new BadInput([`${path.join(around.at(-1) ?? '', MANIFEST)} refers to an assembly that contains it`]);
  }
  if (!existsSync(folder)) throw new BadInput([`${directory} does not exist: run "cdk synth" first`]);
  if (!statSync(folder).isDirectory() || !existsSync(path.join(folder, MANIFEST))) {
    throw new BadInput([
      `${directory} is not a cloud assembly, because it has no ${MANIFEST}: name the output folder of "cdk synth", cdk.out`,
    ]);
  }
  const artifacts = Object.entries(readManifest(folder)).map(([id, it]) => [id, membersOf(it)] as const);
  const stacks = artifacts.filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const nested = artifacts.filter(([, { type }]) => type === 'cdk:cloud-assembly');
  const below = nested.flatMap(([, { properties }]) =>
    groupsIn(path.join(folder, String(membersOf(properties)['directoryName'])), [...around, folder]),
  );
  const own = {
    folder,
    stacks: stacks.map(([id, it]) => stackOf(id, it, folder)),
    acknowledged: stacks.flatMap(([, it]) => acknowledgedIn(stackMetadata(FILES, folder, it))),
  };
  return [...(own.stacks.length > 0 ? [own] : []), ...below];
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * Reads the acknowledged finding ids from CDK's validation report. Only the report has those of an app or a stage. It exists if a
 * plugin checked the app.
 */
function acknowledgedByReport(report: JsonObject): Acknowledged[] {
  const suppressed = listOf(report['pluginReports']).flatMap(it => listOf(it['suppressedViolations']));
  return suppressed.flatMap(({ acknowledgedId, violatingConstructs }) => {
    if (typeof acknowledgedId !== 'string' || !acknowledgedId.startsWith(OWN_IDS)) return [];
    const id = acknowledgedId.slice(OWN_IDS.length);
    return listOf(violatingConstructs).flatMap(({ constructPath: path }) =>
      typeof path === 'string' && path !== '' ? [{ path, id }] : [],
    );
  });
}
