import { existsSync, readFileSync } from 'node:fs';
import { type NoteProblem, shown } from '../../template/values';
import { isObject, type JsonObject, jsonProblem } from '../kernel/json';

export const NESTED_STACK_TYPE = 'AWS::CloudFormation::Stack';

export interface TemplateResource {
  readonly logicalId: string;
  /** For example `AWS::SQS::Queue`. */
  readonly type: string;
  readonly properties: JsonObject;
  readonly dependsOn: readonly string[];
  /** The condition under which it is created. @default always */
  readonly condition?: string;
  /** The path of its construct, where the template has it. */
  readonly path?: string;
  /** What happens to it when it is removed from the template, or the stack is deleted. @default 'Delete' */
  readonly deletionPolicy?: string;
  /** What happens to it after an update has replaced it. @default 'Delete' */
  readonly updateReplacePolicy?: string;
}

/** A parsed template; nothing in it is evaluated yet. */
export interface Template {
  readonly parameters: JsonObject;
  readonly mappings: JsonObject;
  readonly conditions: JsonObject;
  readonly resources: ReadonlyMap<string, TemplateResource>;
  readonly outputs: JsonObject;
  /** Assertions about parameters. */
  readonly rules: JsonObject;
}

const SECTIONS: ReadonlySet<string> = new Set([
  'Parameters',
  'Mappings',
  'Conditions',
  'Resources',
  'Outputs',
  'Rules',
]);
const RESOURCE_ATTRIBUTES: ReadonlySet<string> = new Set([
  'Type',
  'Properties',
  'DependsOn',
  'Condition',
  'Metadata',
  'DeletionPolicy',
  'UpdateReplacePolicy',
]);

/** Macros, SAM's among them, run on AWS only. */
const PROCESSED =
  ': deploy the template without macros, which "aws cloudformation get-template --template-stage Processed" prints';

/**
 * Parses a template. Records the sections and resource attributes that the embedded AWS does not implement.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-anatomy.html
 */
export function parseTemplate(template: JsonObject, note: NoteProblem): Template {
  for (const section of Object.keys(template)) {
    if (SECTIONS.has(section) || SECTIONS_WITHOUT_EFFECT.has(section)) continue;
    const remedy = section === 'Transform' ? PROCESSED : '';
    note(`section ${section} is not implemented by the embedded AWS, got ${shown(template[section])}${remedy}`);
  }
  const section = (name: string): JsonObject => {
    const members = Object.entries(membersOf(template[name], `section ${name}`, note));
    const loops = members.filter(([key]) => key.startsWith('Fn::ForEach'));
    for (const [key] of loops)
      note(`${name}: ${key} needs the macro AWS::LanguageExtensions, which runs on AWS only${PROCESSED}`);
    return Object.fromEntries(members.filter(it => !loops.includes(it)));
  };
  const resources = Object.entries(section('Resources')).flatMap(([logicalId, resource]) => {
    const parsed = parseResource(logicalId, resource, note);
    return parsed ? [[logicalId, parsed] as const] : [];
  });
  return {
    parameters: section('Parameters'),
    mappings: section('Mappings'),
    conditions: section('Conditions'),
    resources: new Map(resources),
    outputs: section('Outputs'),
    rules: section('Rules'),
  };
}

function parseResource(logicalId: string, resource: unknown, note: NoteProblem): TemplateResource | undefined {
  if (!/^[A-Za-z0-9]+$/.test(logicalId)) {
    note(`Template format error: Resource name ${logicalId} is non alphanumeric.`);
    return undefined;
  }
  if (!isObject(resource) || typeof resource['Type'] !== 'string') {
    note(`${logicalId}: Type is required, got ${shown(resource)}`);
    return undefined;
  }
  for (const attribute of Object.keys(resource)) {
    if (RESOURCE_ATTRIBUTES.has(attribute) || RESOURCE_ATTRIBUTES_WITHOUT_EFFECT.has(attribute)) continue;
    // The user guide of custom resources has shown templates with it.
    if (attribute === 'Version' && /^Custom::|::CustomResource$/.test(resource['Type'])) continue;
    note(`${logicalId}: the resource attribute ${attribute} is not implemented by the embedded AWS`);
  }
  const metadata = resource['Metadata'];
  const path = isObject(metadata) ? stringMember(metadata, 'aws:cdk:path') : undefined;
  const condition = stringMember(resource, 'Condition');
  const dependsOn = resource['DependsOn'];
  if (dependsOn !== undefined && ![dependsOn].flat().every(it => typeof it === 'string')) {
    note(`${logicalId}: Template format error: DependsOn must be a string or list of strings.`);
  }
  const deletionPolicy = policyIn(resource, 'DeletionPolicy', note, logicalId);
  const updateReplacePolicy = policyIn(resource, 'UpdateReplacePolicy', note, logicalId);
  return {
    logicalId,
    type: resource['Type'],
    properties: membersOf(resource['Properties'], `${logicalId}: Properties`, note),
    dependsOn: typeof dependsOn === 'string' ? [dependsOn] : stringsOf(dependsOn),
    ...(condition === undefined ? {} : { condition }),
    ...(path === undefined ? {} : { path }),
    ...(deletionPolicy === undefined ? {} : { deletionPolicy }),
    ...(updateReplacePolicy === undefined ? {} : { updateReplacePolicy }),
  };
}

/**
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-updatereplacepolicy.html
 */
const POLICIES = {
  DeletionPolicy: ['Delete', 'Retain', 'RetainExceptOnCreate', 'Snapshot'],
  UpdateReplacePolicy: ['Delete', 'Retain', 'Snapshot'],
};

/**
 * The types that support snapshots. The embedded AWS simulates none of them: their stand-ins are deleted.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 */
const WITH_SNAPSHOTS: ReadonlySet<string> = new Set([
  'AWS::DocDB::DBCluster',
  'AWS::EC2::Volume',
  'AWS::ElastiCache::CacheCluster',
  'AWS::ElastiCache::ReplicationGroup',
  'AWS::Neptune::DBCluster',
  'AWS::RDS::DBCluster',
  'AWS::RDS::DBInstance',
  'AWS::Redshift::Cluster',
]);

function policyIn(
  resource: JsonObject,
  name: keyof typeof POLICIES,
  note: NoteProblem,
  logicalId: string,
): string | undefined {
  const value = resource[name];
  if (value === undefined) return undefined;
  if (value === 'Snapshot' && !WITH_SNAPSHOTS.has(String(resource['Type']))) {
    note(`${logicalId}: ${name} Snapshot is not supported by ${String(resource['Type'])}`);
    return undefined;
  }
  if (typeof value === 'string' && POLICIES[name].includes(value)) return value;
  note(`${logicalId}: ${name} must be one of ${POLICIES[name].join(', ')}, got ${shown(value)}`);
  return undefined;
}

/**
 * Artifacts of a cloud assembly that describe the app for tools, and have no effect in the embedded AWS. Any other artifact,
 * section or attribute that is neither in these lists nor implemented fails the deployment by name.
 */
export const ARTIFACTS_WITHOUT_EFFECT: ReadonlySet<string> = new Set(['none', 'cdk:tree', 'cdk:feature-flag-report']);

const SECTIONS_WITHOUT_EFFECT: ReadonlySet<string> = new Set(['AWSTemplateFormatVersion', 'Description', 'Metadata']);

/**
 * `UpdatePolicy` concerns groups of instances, and shifts the traffic of an alias through CodeDeploy. `CreationPolicy` waits for signals
 * of instances and fleets, which are not simulated.
 */
const RESOURCE_ATTRIBUTES_WITHOUT_EFFECT: ReadonlySet<string> = new Set(['CreationPolicy', 'UpdatePolicy']);

/** Resource types for AWS's own statistics. */
export const TYPES_WITHOUT_EFFECT: ReadonlySet<string> = new Set(['AWS::CDK::Metadata']);

/** The value as an object. A missing value is an empty object; any other value is recorded as a problem. */
export function membersOf(value: unknown, what: string, note: NoteProblem): JsonObject {
  if (value === undefined) return {};
  if (isObject(value)) return value;
  note(`${what} must be an object`);
  return {};
}

export function stringMember(members: JsonObject, name: string): string | undefined {
  const value = members[name];
  return typeof value === 'string' ? value : undefined;
}

export function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];
}

/** Reads the JSON object in a file; undefined, with the problem recorded, when there is none. */
export function readJsonObject(path: string, note: NoteProblem): JsonObject | undefined {
  if (!existsSync(path)) {
    note(`${path} does not exist`);
    return undefined;
  }
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    note(`${path} cannot be read: ${messageOf(error)}`);
    return undefined;
  }
  const problem = jsonProblem(text);
  if (problem) {
    note(`${path} is not JSON: ${problem.reason} at line ${problem.line}, column ${problem.column}`);
    return undefined;
  }
  const value: unknown = JSON.parse(text);
  if (isObject(value)) return value;
  note(`${path} must hold a JSON object`);
  return undefined;
}

function messageOf(error: unknown): string {
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : String(error);
}

/**
 * Sorts items so that each comes after those it needs. Otherwise they keep their order.
 *
 * @returns the order, or the first cycle as a path that ends where it begins
 */
export function dependencyOrder(
  needs: ReadonlyMap<string, ReadonlySet<string>>,
): { readonly order: readonly string[] } | { readonly cycle: readonly string[] } {
  const order: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];

  const visit = (id: string): readonly string[] | undefined => {
    if (done.has(id)) return undefined;
    const seenAt = path.indexOf(id);
    if (seenAt >= 0) return [...path.slice(seenAt), id];
    path.push(id);
    for (const needed of needs.get(id) ?? []) {
      const cycle = visit(needed);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(id);
    order.push(id);
    return undefined;
  };

  for (const id of needs.keys()) {
    const cycle = visit(id);
    if (cycle) return { cycle };
  }
  return { order };
}
