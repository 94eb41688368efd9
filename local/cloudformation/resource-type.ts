import { AwsError } from '../kernel/aws-error';
import type { PropertyReader } from './property-reader';

/** A created resource, as templates see it. */
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
}

/**
 * A resource type that the embedded AWS implements. `create` reads every property it supports. Any property it does not
 * read fails the deployment by name, so nothing is ignored silently.
 */
export interface ResourceType {
  /** For example `AWS::SQS::Queue`. */
  readonly type: string;
  create(properties: PropertyReader, context: CreateContext): CreatedResource;
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
}

export type AnyResourceType = ResourceType | AwaitedResourceType;

/** A resource with a name that must be unique among those of its type. */
interface NamedResource extends Pick<ResourceType, 'type'> {
  /** The property that holds the name. */
  readonly property: string;
  /**
   * The identifier in CloudFormation's error (as observed): the name, or for a log group a JSON object with the name.
   */
  readonly identifier: string;
}

/**
 * Whether a resource's name is free. Records a problem when it is not, because the service itself would update the
 * existing resource instead.
 *
 * CloudFormation has two texts: this one, and `<name> already exists in stack <ARN>`. **Assumption CFN-1:** AWS does
 * not publish when it uses which. This one is always used.
 *
 * @param isTaken whether a resource with this identifier exists, whatever created it
 */
export function isNameFree(
  properties: PropertyReader,
  { type, property, identifier }: NamedResource,
  isTaken: boolean,
): boolean {
  if (!isTaken) return true;
  properties.attempt(property, () => {
    throw alreadyExists(type, identifier);
  });
  return false;
}

/** CloudFormation's error for a resource that already exists (observed for alarms, roles, log groups and services). */
export const alreadyExists = (type: string, identifier: string): AwsError =>
  new AwsError('AlreadyExists', `Resource of type '${type}' with identifier '${identifier}' already exists.`);
