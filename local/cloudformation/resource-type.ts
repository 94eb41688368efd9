import type { PropertyReader } from './property-reader';

/** What CloudFormation hands back of a created resource. */
export interface CreatedResource {
  /** What `Ref` answers. */
  readonly ref: string;
  /** What `Fn::GetAtt` answers, by attribute name. */
  readonly attributes: Readonly<Record<string, string>>;
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
