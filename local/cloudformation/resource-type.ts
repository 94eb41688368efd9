import { ownMember } from '../../policy/json-members';
import { AwsError } from '../kernel/aws-error';
import { type PropertyReader, tagsProperty } from './property-reader';

export interface CreatedResource {
  /** The value of `Ref`. */
  readonly ref: string;
  /** The values of `Fn::GetAtt`, by attribute name. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Attributes that are lists, such as the name servers of a hosted zone. @default - none */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  /** Whether the API hides the attributes (`NoEcho`). @default false */
  readonly isSecret?: boolean;
}

/** The creation of a resource failed, but the resource exists: a rollback deletes it. */
export class FailedResource extends AwsError {
  constructor(
    code: string,
    message: string,
    readonly created: CreatedResource,
  ) {
    super(code, message);
  }
}

/** Why AWS refused something. The codes of CloudFormation itself are statuses, which its reasons do not repeat. */
export const reasonOf = ({ code, message }: AwsError): string =>
  /^[A-Z]+_FAILED$/.test(code) ? message : `${code}: ${message}`;

/** What the creation of a resource gets to know about its stack. */
export interface CreateContext {
  readonly logicalId: string;
  readonly stackName: string;
  /**
   * A physical name as CloudFormation creates it: stack name, logical id and random suffix. `maxLength` shortens it.
   */
  physicalName(maxLength?: number): string;
  /**
   * The path on disk of the file asset with this S3 object key (a function's `Code.S3Key`): an absolute path of a
   * directory or of a single file, such as a zip. Undefined when the assembly has none.
   */
  assetPath(s3Key: string): string | undefined;
  /** Whether operations take virtual time. They do not in the first deployment of a simulation. */
  readonly takesTime: boolean;
}

/** A resource of a stack, before it is changed or deleted. */
export interface ExistingResource extends CreatedResource {
  /** The properties that it was created with or last updated to. */
  readonly properties: PropertyReader;
}

/**
 * A resource type that the embedded AWS implements. `create` and `update` read every property they support. Any property
 * they do not read fails the deployment by name, so nothing is ignored silently. A change of a create-only property
 * never reaches `update`: CloudFormation creates another resource, and deletes the old one later.
 */
export interface ResourceType {
  /** For example `AWS::SQS::Queue`, whose page in AWS's template reference is `aws-resource-sqs-queue.html`. */
  readonly type: string;
  create(properties: PropertyReader, context: CreateContext): CreatedResource;
  /**
   * Changes an existing resource. A property that the template no longer has gets the default of the service.
   *
   * **Assumption CFN-4:** Where the service can set single properties, only those that differ from the last deployment
   * are set, so that changes by hand of other properties stay.
   */
  update(properties: PropertyReader, context: CreateContext, existing: ExistingResource): CreatedResource;
  /** The error of the service for a missing resource means that it is deleted. */
  delete(existing: ExistingResource): void;
}

/** Creates a resource, or changes an existing one, for a service whose API has one action for both. */
export type PutResource = (
  properties: PropertyReader,
  context: CreateContext,
  existing?: ExistingResource,
) => CreatedResource;

/** A resource type of a service whose API has one action for creation and update. */
export function putType(type: string, put: PutResource, remove: ResourceType['delete']): ResourceType {
  return { type, create: put, update: put, delete: remove };
}

/**
 * A resource type that sets something of other resources, such as their policy. They lose it when it no longer names them.
 *
 * @param list the property that names the resources
 * @param set for the resources with these names
 * @param remove for the resources with these names. Some may not exist any more
 */
export function typeForEach(
  type: string,
  list: string,
  set: (properties: PropertyReader, names: readonly string[]) => void,
  remove: (names: readonly string[]) => void,
): ResourceType {
  const namesIn = (properties: PropertyReader) =>
    properties.strings(list) ?? properties.problem(list, 'is required') ?? [];
  const put: PutResource = (properties, context, existing) => {
    const names = namesIn(properties);
    set(properties, names);
    if (existing) remove(namesIn(existing.properties).filter(name => !names.includes(name)));
    const id = context.physicalName();
    return { ref: id, attributes: { Id: id } };
  };
  return putType(type, put, ({ properties }) => remove(namesIn(properties)));
}

/** What the creation of a resource that takes virtual time gets in addition. */
export interface AwaitedContext extends CreateContext {
  /** The stack's ARN. */
  readonly stackId: string;
  /** The type in the template, for example `Custom::Greeting`. */
  readonly resourceType: string;
}

/** A resource type whose creation takes virtual time: due work resolves the promise. */
export interface AwaitedResourceType {
  /** For example `AWS::CloudFormation::Stack`. */
  readonly type: string;
  /**
   * Whether creating the resource runs code of the app. Such code does not run when the deployment has already failed,
   * and gets no secrets from dynamic references.
   */
  readonly runsCode: boolean;
  /** Undefined when it failed; then it has recorded the problem itself. */
  createInTime(properties: PropertyReader, context: AwaitedContext): Promise<CreatedResource | undefined>;
  /** A different `ref` means that it is another resource: CloudFormation then deletes the old one. */
  updateInTime(
    properties: PropertyReader,
    context: AwaitedContext,
    existing: ExistingResource,
  ): Promise<CreatedResource | undefined>;
  deleteInTime(existing: ExistingResource, context: AwaitedContext): Promise<void>;
}

export type AnyResourceType = ResourceType | AwaitedResourceType;

/**
 * The attributes to set so that a resource with the attributes `before` has those of `after`.
 *
 * @param otherwise the default of an attribute that `after` does not have
 */
export function changedAttributes(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  otherwise: (name: string) => string,
): Readonly<Record<string, string>> {
  const gone = Object.keys(before).filter(name => ownMember(after, name) === undefined);
  const different = Object.entries(after).filter(([name, value]) => ownMember(before, name) !== value);
  return Object.fromEntries([...gone.map(name => [name, otherwise(name)] as const), ...different]);
}

interface Tag {
  Key: string;
  Value: string;
}

/** Adds, changes and removes tags, so that an existing resource has those of the template. */
export function changeTags(
  tags: Tag[],
  { properties }: ExistingResource,
  put: (tags: Tag[]) => void,
  remove: (keys: string[]) => void,
): void {
  const before = tagsProperty(properties, '');
  const gone = before.map(({ Key }) => Key).filter(key => !tags.some(({ Key }) => Key === key));
  const isSame = ({ Key, Value }: Tag) => before.some(tag => tag.Key === Key && tag.Value === Value);
  if (gone.length > 0) remove(gone);
  if (!tags.every(isSame)) put(tags);
}
