import { type NoteProblem, shown } from '../../template/problems';
import { isMembers, type Members } from '../kernel/json';
import { membersOf, stringMember, stringsOf } from './json';
import { RESOURCE_ATTRIBUTES_WITHOUT_EFFECT, SECTIONS_WITHOUT_EFFECT } from './no-effect';

export interface TemplateResource {
  readonly logicalId: string;
  /** For example `AWS::SQS::Queue`. */
  readonly type: string;
  readonly properties: Members;
  readonly dependsOn: readonly string[];
  /** The condition under which it is created. @default always */
  readonly condition?: string;
  /** Its construct's path, where the template tells. */
  readonly path?: string;
}

/** A template taken apart; nothing in it is evaluated yet. */
export interface Template {
  readonly parameters: Members;
  readonly mappings: Members;
  readonly conditions: Members;
  readonly resources: ReadonlyMap<string, TemplateResource>;
  readonly outputs: Members;
}

const SECTIONS: ReadonlySet<string> = new Set(['Parameters', 'Mappings', 'Conditions', 'Resources', 'Outputs']);
const RESOURCE_ATTRIBUTES: ReadonlySet<string> = new Set(['Type', 'Properties', 'DependsOn', 'Condition', 'Metadata']);

/**
 * Takes a template apart and notes what the embedded AWS does not know of its sections and resource attributes.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-anatomy.html
 */
export function parseTemplate(template: Members, note: NoteProblem): Template {
  for (const section of Object.keys(template)) {
    if (SECTIONS.has(section) || SECTIONS_WITHOUT_EFFECT.has(section)) continue;
    note(`section ${section} is not implemented by the embedded AWS, got ${shown(template[section])}`);
  }
  const section = (name: string) => membersOf(template[name], `section ${name}`, note);
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
  };
}

function parseResource(logicalId: string, resource: unknown, note: NoteProblem): TemplateResource | undefined {
  if (!isMembers(resource) || typeof resource['Type'] !== 'string') {
    note(`${logicalId}: Type is required, got ${shown(resource)}`);
    return undefined;
  }
  for (const attribute of Object.keys(resource)) {
    if (RESOURCE_ATTRIBUTES.has(attribute) || RESOURCE_ATTRIBUTES_WITHOUT_EFFECT.has(attribute)) continue;
    note(`${logicalId}: the resource attribute ${attribute} is not implemented by the embedded AWS`);
  }
  const metadata = resource['Metadata'];
  const path = isMembers(metadata) ? stringMember(metadata, 'aws:cdk:path') : undefined;
  const condition = stringMember(resource, 'Condition');
  const dependsOn = resource['DependsOn'];
  return {
    logicalId,
    type: resource['Type'],
    properties: membersOf(resource['Properties'], `${logicalId}: Properties`, note),
    dependsOn: typeof dependsOn === 'string' ? [dependsOn] : stringsOf(dependsOn),
    ...(condition === undefined ? {} : { condition }),
    ...(path === undefined ? {} : { path }),
  };
}
