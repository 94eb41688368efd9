import { AwsError } from '../kernel/aws-error';
import type { PropertyReader } from './property-reader';

/** What CloudFormation hands back of a created resource. */
export interface CreatedResource {
  /** What `Ref` answers. */
  readonly ref: string;
  /** What `Fn::GetAtt` answers, by attribute name. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Whether the attributes are kept out of what the API tells (`NoEcho`). @default false */
  readonly isSecret?: boolean;
}

/** What a resource knows of its place in the stack when it is created. */
export interface CreateContext {
  readonly logicalId: string;
  readonly stackName: string;
  /** A physical name as CloudFormation makes one: stack name, logical id, random suffix. `maxLength` cuts the middle. */
  physicalName(maxLength?: number): string;
  /**
   * Where the file asset lies on disk that the assembly publishes under this S3 object key (a function's
   * `Code.S3Key`): the absolute path of a directory, or of one file such as a zip. Undefined when the assembly has none.
   */
  assetPath(s3Key: string): string | undefined;
}

/**
 * One CloudFormation resource type the embedded AWS implements. `create` reads every property it honours from the
 * reader; whatever it leaves unread fails the deploy by name, so nothing is ignored silently.
 */
export interface ResourceType {
  /** For example `AWS::SQS::Queue`. */
  readonly type: string;
  create(properties: PropertyReader, context: CreateContext): CreatedResource;
}

/** What a resource that takes its time knows beside. */
export interface AwaitedContext extends CreateContext {
  /** The stack's ARN. */
  readonly stackId: string;
  /** As the template has it, for example `Custom::Greeting`. */
  readonly resourceType: string;
}

/** A resource type whose creation takes virtual time: somebody else is asked, and due work resolves the promise. */
export interface AwaitedResourceType {
  /** For example `AWS::CloudFormation::Stack`. */
  readonly type: string;
  /**
   * Whether it runs code of the app: that is not done for a deploy that has failed already. Such code is told no secrets
   * by dynamic references either.
   */
  readonly runsCode: boolean;
  /** Undefined when it failed and has said why by itself. */
  createInTime(properties: PropertyReader, context: AwaitedContext): Promise<CreatedResource | undefined>;
}

export type AnyResourceType = ResourceType | AwaitedResourceType;

/** The resource that a template asks for, by what tells it from others of its type. */
export interface NamedResource extends Pick<ResourceType, 'type'> {
  /** The property that holds the name. */
  readonly property: string;
  /** As CloudFormation tells it (recorded): the name, and for a log group a JSON object with the name in it. */
  readonly identifier: string;
}

/**
 * Refuses to create what there is already, where the service itself would take the template's resource for a change of the
 * one that is there. Answers whether the name is free.
 *
 * CloudFormation has two sentences for it, this one and `<name> already exists in stack <ARN>`, and says nowhere when it
 * takes which: our choice is this one always.
 *
 * @param isTaken whether there is one of this identifier, whoever made it
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

/** What CloudFormation says of a resource that is there already (recorded of alarms, roles, log groups and services). */
export const alreadyExists = (type: string, identifier: string): AwsError =>
  new AwsError('AlreadyExists', `Resource of type '${type}' with identifier '${identifier}' already exists.`);
