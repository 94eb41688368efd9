import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type ConstructPath, constructPaths, pathsIn, reportedErrors } from '../../template/construct-metadata';
import type { NoteProblem } from '../../template/values';
import { isObject, type JsonObject } from '../kernel/json';
import { AssemblyError, type Environment, failOn, parseEnvironment } from './environment';
import {
  ARTIFACTS_WITHOUT_EFFECT,
  dependencyOrder,
  membersOf,
  readJsonObject,
  stringMember,
  stringsOf,
} from './template';
import { readTemplateFile, stackNameOf, templatesBeside } from './template-body';

/**
 * The newest supported major version of the cloud assembly schema. A newer major version means that older readers can
 * misread the assembly.
 *
 * @see https://github.com/aws/aws-cdk-cli/tree/main/packages/@aws-cdk/cloud-assembly-schema
 */
const NEWEST_SCHEMA = 55;

export interface StackArtifact {
  /** The name of the CloudFormation stack. */
  readonly name: string;
  readonly template: JsonObject;
  readonly environment: Environment;
  /** Parameter values that the app sets. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly notificationArns: readonly string[];
  /** The construct path of each logical id, where the assembly has it. */
  readonly paths: ReadonlyMap<string, string>;
  /** Construct paths of this stack and of the stacks nested in it. */
  readonly constructs?: readonly ConstructPath[];
  readonly assets: AssetPaths;
}

/** A CDK cloud assembly, which `cdk synth` writes to `cdk.out`. */
export interface Assembly {
  /** All stacks, including those of stages, each after the stacks it depends on. */
  readonly stacks: readonly StackArtifact[];
  /** Values of the context that CDK has made up, because the app was synthesized where it could not look them up. */
  readonly missingContext?: readonly string[];
}

/**
 * Reads a cloud assembly, or a template.
 *
 * @param directory usually `cdk.out`; or the path of a template in JSON or YAML
 * @param allowsMissingContext whether the values of context that CDK has made up are not a problem
 * @see https://docs.aws.amazon.com/cdk/v2/guide/configure-synth.html
 */
export function readAssembly(directory: string, allowsMissingContext = false): Assembly {
  const absolute = resolve(directory);
  if (existsSync(absolute) && statSync(absolute).isFile()) return assemblyOfTemplate(absolute);
  if (!existsSync(absolute)) {
    throw new AssemblyError([
      /\.(json|ya?ml|template)$/.test(absolute)
        ? `there is no template at ${absolute}`
        : `there is no cloud assembly at ${absolute}: run "cdk synth" first, or name its directory or a template`,
    ]);
  }
  const problems: string[] = [];
  const missingContext: string[] = [];
  const note = (problem: string) => problems.push(problem);
  const stacks = readManifest(absolute, note, allowsMissingContext ? it => missingContext.push(it) : note);
  if (problems.length === 0 && stacks.length === 0) problems.push(`the cloud assembly at ${absolute} has no stacks`);
  failOn(problems);
  return { stacks, missingContext };
}

/** A template of its own is an app with one stack, which is named like the file. */
function assemblyOfTemplate(file: string): Assembly {
  const problems: string[] = [];
  const template = readTemplateFile(file, problem => problems.push(problem)) ?? {};
  failOn(problems);
  const [name, assets] = [stackNameOf(file), templatesBeside(file)];
  const stack = { name, template, environment: {}, parameters: {}, notificationArns: [], paths: new Map(), assets };
  return { stacks: [stack] };
}

/**
 * Reads the assemblies and templates of several apps that are deployed together, one after the other.
 *
 * @throws AssemblyError like `readAssembly`, and for two stacks with one name in the same account and Region
 */
export function readAssemblies(paths: readonly string[], allowsMissingContext: boolean): Assembly {
  const all = paths.map(path => readAssembly(path, allowsMissingContext));
  const stacks = all.flatMap(it => it.stacks);
  const nameOf = ({ name, environment: { account, region } }: StackArtifact) => [name, account, region].join(' ');
  const names = stacks.map(nameOf);
  const twice = stacks.filter((stack, i) => names.indexOf(nameOf(stack)) < i);
  failOn(twice.map(({ name }) => `two of the apps have a stack named ${name}: deploy one of them, or a stage`));
  return { stacks, missingContext: all.flatMap(({ missingContext = [] }) => missingContext) };
}

interface ArtifactReading {
  readonly id: string;
  readonly artifact: JsonObject;
  readonly properties: JsonObject;
  readonly directory: string;
  readonly assets: AssetPaths;
  readonly note: NoteProblem;
  readonly noteMissing: NoteProblem;
}

function readManifest(directory: string, note: NoteProblem, noteMissing: NoteProblem): readonly StackArtifact[] {
  const path = join(directory, 'manifest.json');
  if (!existsSync(path)) {
    note(`${directory} is not a cloud assembly, because it has no manifest.json: run "cdk synth" first`);
    return [];
  }
  const manifest = readJsonObject(path, note);
  if (!manifest) return [];
  if (!isVersionKnown(manifest['version'], path, note)) return [];
  noteMissingContext(manifest, path, noteMissing);
  const artifacts = new Map(
    Object.entries(membersOf(manifest['artifacts'], `${path} artifacts`, note)).map(
      ([id, artifact]) => [id, membersOf(artifact, `${path} artifacts.${id}`, note)] as const,
    ),
  );
  const assets = readAssets(directory, artifacts, note);
  return orderedIds(path, artifacts, note).flatMap(id => {
    const artifact = artifacts.get(id) ?? {};
    const properties = membersOf(artifact['properties'], `${path} artifacts.${id}.properties`, note);
    return readArtifact({ id, artifact, properties, directory, assets, note, noteMissing });
  });
}

/**
 * A manifest of an unknown version is not read further, because other apparent problems may be valid in that version.
 */
function isVersionKnown(version: unknown, path: string, note: NoteProblem): boolean {
  if (version === undefined) {
    note(`${path}: version is required`);
    return false;
  }
  const major = typeof version === 'string' ? /^(\d+)\.\d+\.\d+/.exec(version)?.[1] : undefined;
  if (major !== undefined && Number(major) <= NEWEST_SCHEMA) return true;
  const upTo = `must be a version up to ${NEWEST_SCHEMA}.x.x of the cloud assembly schema`;
  const remedy = major === undefined ? '' : ': synthesize with an earlier aws-cdk-lib, or update dead-letter-office';
  note(`${path}: version ${upTo}, got ${JSON.stringify(version)}${remedy}`);
  return false;
}

function readArtifact(reading: ArtifactReading): readonly StackArtifact[] {
  const { id, artifact, properties, directory, note, noteMissing } = reading;
  const type = stringMember(artifact, 'type') ?? '';
  if (ARTIFACTS_WITHOUT_EFFECT.has(type) || type === 'cdk:asset-manifest') return [];
  if (type === 'aws:cloudformation:stack') return readStack(reading);
  if (type === 'cdk:cloud-assembly') {
    const nested = stringMember(properties, 'directoryName');
    if (nested !== undefined) return readManifest(join(directory, nested), note, noteMissing);
    note(`${directory}/manifest.json: the nested assembly ${id} has no directoryName`);
    return [];
  }
  note(`${directory}/manifest.json: artifact ${id} is of type "${type}", which the embedded AWS does not implement`);
  return [];
}

function readStack({ id, artifact, properties, directory, assets, note }: ArtifactReading): readonly StackArtifact[] {
  const name = stringMember(properties, 'stackName') ?? id;
  const templateFile = stringMember(properties, 'templateFile');
  if (templateFile === undefined) {
    note(`${directory}/manifest.json: stack ${name} has no templateFile`);
    return [];
  }
  const template = readJsonObject(join(directory, templateFile), note);
  const metadata = readMetadata(artifact, directory, note);
  for (const error of reportedErrors(metadata)) note(`${name}: the app reports an error at ${error}`);
  if (!template) return [];
  const parameters = membersOf(properties['parameters'], `${name} parameters`, note);
  const constructs = constructPaths(metadata);
  return [
    {
      name,
      template,
      environment: parseEnvironment(stringMember(artifact, 'environment')),
      parameters: Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, String(value)])),
      notificationArns: stringsOf(properties['notificationArns']),
      paths: pathsIn(constructs),
      constructs,
      assets,
    },
  ];
}

/** Construct metadata is in the manifest, or in a separate file next to it. */
function readMetadata(artifact: JsonObject, directory: string, note: NoteProblem): JsonObject {
  const inline = membersOf(artifact['metadata'], 'metadata', note);
  const file = stringMember(artifact, 'additionalMetadataFile');
  const additional = file === undefined ? undefined : readJsonObject(join(directory, file), note);
  return { ...inline, ...additional };
}

function readAssets(directory: string, artifacts: ReadonlyMap<string, JsonObject>, note: NoteProblem): AssetPaths {
  const paths = new Map<string, string>();
  for (const [id, artifact] of artifacts) {
    if (artifact['type'] !== 'cdk:asset-manifest') continue;
    const properties = artifact['properties'];
    const file = isObject(properties) ? stringMember(properties, 'file') : undefined;
    if (file === undefined) note(`${directory}/manifest.json: the asset manifest ${id} has no file`);
    else for (const [key, path] of readAssetManifest(join(directory, file), note)) paths.set(key, path);
  }
  return paths;
}

function orderedIds(path: string, artifacts: ReadonlyMap<string, JsonObject>, note: NoteProblem): readonly string[] {
  const needs = new Map<string, ReadonlySet<string>>();
  for (const [id, artifact] of artifacts) {
    const dependencies = stringsOf(artifact['dependencies']);
    for (const missing of dependencies.filter(needed => !artifacts.has(needed))) {
      note(`${path}: artifact ${id} depends on ${missing}, which is not in the manifest`);
    }
    needs.set(id, new Set(dependencies.filter(needed => artifacts.has(needed))));
  }
  const sorted = dependencyOrder(needs);
  if ('order' in sorted) return sorted.order;
  note(`${path}: artifacts depend on each other in a cycle: ${sorted.cycle.join(' -> ')}`);
  return [];
}

function noteMissingContext(manifest: JsonObject, path: string, note: NoteProblem): void {
  const missing = Array.isArray(manifest['missing']) ? manifest['missing'].filter(isObject) : [];
  for (const { key } of missing) {
    note(
      `${path}: the context value ${String(key)} is missing: synthesize where CDK can look it up, then keep cdk.context.json`,
    );
  }
}

/** Paths on disk by the S3 object key under which the assembly publishes the files. */
type AssetPaths = ReadonlyMap<string, string>;

/**
 * Reads the files of an asset manifest (`Stack.assets.json`). A file asset has a path relative to the manifest, and one destination
 * for each account and Region. Docker images, and files that an executable would make, exist nowhere: the resources that use them are
 * refused, or get stand-ins.
 *
 * @see https://docs.aws.amazon.com/cdk/v2/guide/assets.html
 */
function readAssetManifest(manifestPath: string, note: NoteProblem): AssetPaths {
  const paths = new Map<string, string>();
  const manifest = readJsonObject(manifestPath, note);
  if (!manifest) return paths;
  for (const [id, file] of Object.entries(membersOf(manifest['files'], `${manifestPath} files`, note))) {
    const asset = membersOf(file, `${manifestPath} files.${id}`, note);
    if (isObject(asset['source']) && Array.isArray(asset['source']['executable'])) continue;
    const path = sourcePath(asset, { id, manifestPath, note });
    if (path === undefined) continue;
    for (const key of objectKeys(asset, `${manifestPath} files.${id}.destinations`, note)) paths.set(key, path);
  }
  return paths;
}

function sourcePath(
  asset: JsonObject,
  { id, manifestPath, note }: { id: string; manifestPath: string; note: NoteProblem },
): string | undefined {
  const name = `${manifestPath}: asset ${stringMember(asset, 'displayName') ?? id}`;
  const source = membersOf(asset['source'], `${name} source`, note);
  const relative = stringMember(source, 'path');
  if (relative === undefined) {
    note(`${name} has no source.path`);
    return undefined;
  }
  const path = resolve(dirname(manifestPath), relative);
  if (existsSync(path)) return path;
  note(`${name} is missing: there is nothing at ${path}`);
  return undefined;
}

function objectKeys(asset: JsonObject, what: string, note: NoteProblem): readonly string[] {
  return Object.entries(membersOf(asset['destinations'], what, note)).flatMap(([name, destination]) => {
    const key = stringMember(membersOf(destination, `${what}.${name}`, note), 'objectKey');
    if (key === undefined) note(`${what}.${name}.objectKey is required`);
    return key ?? [];
  });
}
